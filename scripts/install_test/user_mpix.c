/* A program with notified puts as its users write it, linked with libhalocline_mpix: where the drop-in is not loaded, a fence replaces them.
   SPDX-License-Identifier: BSD-3-Clause */
#include <halocline/mpix.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int me = 0, ranks = 0, error_class = MPI_SUCCESS;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, mine = 1000 * (me + 1);
  int *into = NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof *into, sizeof *into, MPI_INFO_NULL, MPI_COMM_WORLD, &into, &window);
  *into = -1;
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, window);
  MPI_Error_class(MPIX_Win_set_num_notify(window, MPI_INFO_NULL, 1), &error_class);
  if (error_class != MPI_ERR_UNSUPPORTED_OPERATION) return EXIT_FAILURE;
  MPI_Put(&mine, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (*into != 1000 * (left + 1)) return EXIT_FAILURE;
  printf("rank %d of %d sees its neighbour\n", me, ranks);
  MPI_Win_free(&window);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
