/* An ARMCI program as its users write it: a strided put around a ring. SPDX-License-Identifier: BSD-3-Clause */
#include <armci.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4, COLUMNS = 6, PITCH = 10 };

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ARMCI_Init() != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  void **const memory = malloc((size_t)ranks * sizeof *memory);
  if (!memory || ARMCI_Malloc(memory, sizeof(double) * ROWS * PITCH) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  double block[ROWS][COLUMNS], *const mine = memory[rank];
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) block[i][j] = 1000.0 * (rank + 1) + 10 * i + j;
  int from_stride[] = {COLUMNS * sizeof(double)}, to_stride[] = {PITCH * sizeof(double)}, count[] = {COLUMNS * sizeof(double), ROWS};
  if (ARMCI_PutS(block, from_stride, memory[right], to_stride, count, 1, right) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  ARMCI_Barrier();
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j)
      if (mine[i * PITCH + j] != 1000.0 * (left + 1) + 10 * i + j) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  printf("rank %d of %d sees its neighbour\n", rank, ranks);
  ARMCI_Free(memory[rank]);
  free(memory);
  ARMCI_Finalize();
  MPI_Finalize();
  return EXIT_SUCCESS;
}
