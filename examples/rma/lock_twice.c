/* A rank has one lock of a target at a time. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* a lock does not turn into another one */
  MPI_Put(&value, 1, MPI_INT64_T, 0, rank, 1, MPI_INT64_T, window);
  MPI_Win_unlock(0, window);
}

static int right(void) {
  const int64_t value = 7;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(&value, 1, MPI_INT64_T, 0, rank, 1, MPI_INT64_T, window);
  MPI_Win_unlock(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  return rank != 0 || numbers[ranks - 1] == 7;
}
