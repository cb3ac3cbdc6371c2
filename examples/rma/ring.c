/*
 * One put to the right neighbour, in the four kinds of epochs of MPI RMA. docs/rma/epochs.md explains it.
 * Build: mpicc ring.c -o ring
 * Run:   mpiexec -n 4 ./ring    prints: ring: right: fence, PSCW, lock, lock_all on 4 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>

static int rank, ranks, left, right;
static MPI_Win window;

/* All ranks of the window synchronise: before the accesses, and after them. */
static void with_fences(int value) {
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

/* Only neighbours synchronise: the left one writes to me (exposure epoch), I write to the right one (access epoch). */
static void with_pscw(int value, MPI_Group from, MPI_Group to) {
  MPI_Win_post(from, 0, window);
  MPI_Win_start(to, 0, window);
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
}

/* The target makes no call. So it needs a message or a barrier to know that the data are there. */
static void with_lock(int value) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_unlock(right, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* One epoch for the whole program, opened before; a flush completes the put. */
static void in_lock_all(int value) {
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_flush(right, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window); /* my loads see what others have put */
}

int main(int argc, char **argv) {
  int *mine, good = 1, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Group everyone, from, to;
  MPI_Win_get_group(window, &everyone);
  MPI_Group_incl(everyone, 1, &left, &from);
  MPI_Group_incl(everyone, 1, &right, &to);

  with_fences(100 + rank);
  good = good && *mine == 100 + left;
  MPI_Barrier(MPI_COMM_WORLD); /* all have read, before any is written again */
  with_pscw(200 + rank, from, to);
  good = good && *mine == 200 + left;
  MPI_Barrier(MPI_COMM_WORLD);
  with_lock(300 + rank);
  MPI_Win_lock_all(0, window);
  MPI_Win_sync(window);
  good = good && *mine == 300 + left;
  MPI_Barrier(MPI_COMM_WORLD);
  in_lock_all(400 + rank);
  good = good && *mine == 400 + left;
  MPI_Win_unlock_all(window);

  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("ring: %s: fence, PSCW, lock, lock_all on %d ranks\n", all ? "right" : "WRONG", ranks);
  MPI_Group_free(&everyone), MPI_Group_free(&from), MPI_Group_free(&to);
  MPI_Win_free(&window);
  MPI_Finalize();
  return all ? 0 : 1;
}
