/* A get fills its buffer when it is complete, not when it returns. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  int64_t value = 0;
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Get(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT64_T, 1, 4, 1, MPI_INT64_T, window); /* passes on what may not have arrived */
  MPI_Win_unlock_all(window);
}

static int right(void) {
  int64_t value = -1;
  MPI_Win_lock_all(0, window);
  if (rank == 0) MPI_Get(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (rank == 0) MPI_Win_flush_local(1, window); /* the value is in the buffer */
  if (rank == 0) MPI_Put(&value, 1, MPI_INT64_T, 1, 4, 1, MPI_INT64_T, window);
  MPI_Win_unlock_all(window);
  return rank != 0 || value == 0;
}
