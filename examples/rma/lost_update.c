/* Get, add, put is no atomic update. docs/rma/mistakes-data.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  int64_t count = 0;
  MPI_Win_fence(0, window);
  MPI_Get(&count, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, window);
  MPI_Win_fence(0, window);
  ++count; /* all ranks have read 0 */
  MPI_Put(&count, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static int right(void) {
  const int64_t one = 1;
  int64_t before = 0, count = 0;
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, window); /* one atomic step at the target */
  MPI_Win_flush(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Fetch_and_op(NULL, &count, MPI_INT64_T, 0, 0, MPI_NO_OP, window);
  MPI_Win_unlock_all(window);
  return count == ranks && before < ranks;
}
