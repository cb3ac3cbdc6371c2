/* What every C example needs: a check of each call, and one verdict line for all ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALOCLINE_EXAMPLES_CHECK_H
#define HALOCLINE_EXAMPLES_CHECK_H

#include <halocline/halocline.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends all ranks with the library's sentence if a call fails. */
#define CHECK(call)                                            \
  do {                                                         \
    if ((call) != HLC_OK) {                                    \
      fprintf(stderr, "%s: %s\n", #call, hlc_error_message()); \
      MPI_Abort(MPI_COMM_WORLD, 1);                            \
      exit(EXIT_FAILURE); /* in some MPIs the call returns */  \
    }                                                          \
  } while (0)

/* Prints on rank 0 whether all ranks are content; returns what main returns. */
static inline int verdict(const char *example, int right, const char *what) {
  int rank = 0, size = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %s: %s on %d rank%s\n", example, all ? "right" : "WRONG", what, size, size == 1 ? "" : "s");
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Prints an example's line on rank 0: its number of ranks, a value of its own, and whether all ranks are content. Returns what main returns. */
static inline int report(const char *lesson, const char *what, int64_t value, int right) {
  int rank = 0, size = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %d ranks, %s %lld: %s\n", lesson, size, what, (long long)value, all ? "ok" : "WRONG");
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
