/* A put needs an access epoch. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  MPI_Put(&value, 1, MPI_INT64_T, 0, rank, 1, MPI_INT64_T, window); /* no epoch is open */
  MPI_Barrier(MPI_COMM_WORLD);
}

static int right(void) {
  const int64_t value = 7;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(&value, 1, MPI_INT64_T, 0, rank, 1, MPI_INT64_T, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return rank != 0 || numbers[ranks - 1] == 7;
}
