/* Two puts to the same bytes. docs/rma/mistakes-data.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include "mistake.h"

static void wrong(void) {
  const int64_t edge[4] = {rank, rank, rank, rank};
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank < 2) MPI_Put(edge, 4, MPI_INT64_T, 0, 3 * rank, 4, MPI_INT64_T, window); /* numbers 0 to 3, and 3 to 6 */
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static int right(void) {
  const int64_t edge[4] = {rank, rank, rank, rank};
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank < 2) MPI_Put(edge, 4, MPI_INT64_T, 0, 4 * rank, 4, MPI_INT64_T, window); /* each rank has numbers of its own */
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return rank != 0 || (numbers[3] == 0 && numbers[4] == 1);
}
