/* Fences and locks do not mix. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  MPI_Win_lock_all(0, window);
  MPI_Put(&value, 1, MPI_INT64_T, 0, rank, 1, MPI_INT64_T, window);
  MPI_Win_fence(0, window); /* a fence belongs to another kind of epoch */
  MPI_Win_unlock_all(window);
}

static int right(void) {
  const int64_t value = 7;
  MPI_Win_lock_all(0, window);
  MPI_Put(&value, 1, MPI_INT64_T, 0, rank, 1, MPI_INT64_T, window);
  MPI_Win_flush_all(window); /* completes the puts; the epoch stays open */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  return rank != 0 || numbers[ranks - 1] == 7;
}
