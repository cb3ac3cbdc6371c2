/* A store to bytes that others put to. docs/rma/mistakes-windows.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 1) MPI_Put(&value, 1, MPI_INT64_T, 0, 5, 1, MPI_INT64_T, window);
  MPI_Barrier(MPI_COMM_WORLD);     /* completes nothing */
  if (rank == 0) numbers[5] = -1; /* before or after the put, or in its middle */
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static int right(void) {
  const int64_t value = 7;
  if (rank == 0) numbers[5] = -1; /* before the epoch */
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 1) MPI_Put(&value, 1, MPI_INT64_T, 0, 5, 1, MPI_INT64_T, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return rank != 0 || numbers[5] == 7;
}
