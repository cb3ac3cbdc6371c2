/* A put reads its buffer until it is locally complete. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  int64_t buffer = 7;
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(&buffer, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (rank == 0) MPI_Get(&buffer, 1, MPI_INT64_T, 1, 4, 1, MPI_INT64_T, window); /* the put may send what the get brings */
  MPI_Win_unlock_all(window);
}

static int right(void) {
  int64_t buffer = 7;
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Put(&buffer, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (rank == 0) MPI_Win_flush_local(1, window); /* the buffer may be used again */
  if (rank == 0) MPI_Get(&buffer, 1, MPI_INT64_T, 1, 4, 1, MPI_INT64_T, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  return rank != 1 || numbers[0] == 7;
}
