/* Accumulates of two operations on one number. docs/rma/mistakes-data.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t two = 2;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Accumulate(&two, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, rank == 0 ? MPI_SUM : MPI_MAX, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static int right(void) {
  const int64_t two = 2;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 0) MPI_Accumulate(&two, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_fence(0, window); /* sums and maxima in epochs of their own */
  if (rank != 0) MPI_Accumulate(&two, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_MAX, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return rank != 0 || numbers[0] == 2;
}
