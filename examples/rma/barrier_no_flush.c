/* A barrier completes no put. docs/rma/mistakes.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 7;
  int64_t seen = 0;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  MPI_Barrier(MPI_COMM_WORLD); /* the put may still be on its path */
  if (rank == 1) MPI_Get(&seen, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
}

static int right(void) {
  const int64_t value = 7;
  int64_t seen = 0;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  MPI_Win_flush_all(window); /* the put is complete at its target */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Get(&seen, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  MPI_Win_unlock_all(window);
  return rank != 1 || seen == 7;
}
