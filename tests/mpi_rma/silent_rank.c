// Rank 0 waits in MPI_Barrier for longer than HALOCLINE_TIMEOUT, and answers nobody meanwhile. The lock of rank 1 then ends with an error.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, code = MPI_SUCCESS, wrong = 0;
  long *mine;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  if (rank == 1 && code == MPI_SUCCESS) printf("the lock of a rank that does not answer has succeeded\n"), wrong = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
  return wrong;
}
