/* An epoch that is opened has to be closed. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  int64_t value = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, window);
  if (rank > 0) return; /* skips MPI_Win_unlock, and the window is freed in main */
  MPI_Win_unlock(0, window);
}

static int right(void) {
  int64_t value = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, window);
  MPI_Win_unlock(0, window); /* closes the epoch, and completes the get */
  return value == 0;
}
