/* A put beside accumulates is not atomic. docs/rma/mistakes-data.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t value = 5, zero = 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 0) MPI_Put(&zero, 1, MPI_INT64_T, 0, 2, 1, MPI_INT64_T, window); /* resets the sum, while another rank adds */
  if (rank == 1) MPI_Accumulate(&value, 1, MPI_INT64_T, 0, 2, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static int right(void) {
  const int64_t value = 5, zero = 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank == 0) MPI_Accumulate(&zero, 1, MPI_INT64_T, 0, 2, 1, MPI_INT64_T, MPI_REPLACE, window); /* an atomic put */
  MPI_Win_fence(0, window);
  if (rank == 1) MPI_Accumulate(&value, 1, MPI_INT64_T, 0, 2, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return rank != 0 || numbers[2] == 5;
}
