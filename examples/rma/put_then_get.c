/* Two operations of one rank are not ordered. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  int64_t seen = 0;
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (rank == 0) MPI_Get(&seen, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window); /* may read what was there before the put */
  MPI_Win_unlock_all(window);
}

static int right(void) {
  const int64_t value = 7;
  int64_t seen = 7;
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (rank == 0) MPI_Win_flush(1, window); /* the put precedes the get */
  if (rank == 0) MPI_Get(&seen, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  MPI_Win_unlock_all(window);
  return seen == 7;
}
