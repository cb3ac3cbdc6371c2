/*
 * Data and a flag that announces them, with MPI RMA alone. docs/rma/notification.md explains it.
 * Build: mpicc flag.c -o flag
 * Run:   mpiexec -n 2 ./flag    prints: flag: right: data before their flag on 2 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>

enum { NUMBERS = 1000, FLAG = NUMBERS }; /* the flag stands behind the numbers */

int main(int argc, char **argv) {
  int rank, ranks, *mine, good = 1, all = 0;
  int data[NUMBERS];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate((NUMBERS + 1) * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  mine[FLAG] = 0;
  for (int i = 0; i < NUMBERS; ++i) data[i] = rank + i;
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  const int one = 1;
  MPI_Put(data, NUMBERS, MPI_INT, right, 0, NUMBERS, MPI_INT, window);
  MPI_Win_flush(right, window); /* the data are there, before the flag begins */
  MPI_Accumulate(&one, 1, MPI_INT, right, FLAG, 1, MPI_INT, MPI_REPLACE, window);
  MPI_Win_flush(right, window);

  int seen = 0;
  while (!seen) { /* an atomic read of my own flag, which also lets the MPI make progress */
    MPI_Fetch_and_op(NULL, &seen, MPI_INT, rank, FLAG, MPI_NO_OP, window);
    MPI_Win_flush(rank, window);
  }
  MPI_Win_sync(window); /* loads see the data */
  for (int i = 0; i < NUMBERS; ++i) good = good && mine[i] == left + i;
  MPI_Win_unlock_all(window);

  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("flag: %s: data before their flag on %d ranks\n", all ? "right" : "WRONG", ranks);
  MPI_Win_free(&window);
  MPI_Finalize();
  return all ? 0 : 1;
}
