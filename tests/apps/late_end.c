/* Rank 0 is late at its end, where launchers kill it if another rank has ended without taking leave. For LD_PRELOAD.
 * It makes the file LATE_END_FILE where it is not killed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int MPI_Finalize(void) {
  const struct timespec late = {0, 200000000};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int status = PMPI_Finalize();
  if (rank != 0) return status;
  nanosleep(&late, NULL);
  FILE *file = fopen(getenv("LATE_END_FILE"), "w");
  if (file != NULL) fclose(file);
  return status;
}
