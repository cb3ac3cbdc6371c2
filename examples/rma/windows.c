/*
 * The four kinds of windows, each written by the left neighbour. docs/rma/windows.md explains it.
 * Build: mpicc windows.c -o windows
 * Run:   mpiexec -n 2 ./windows    prints: windows: right: allocate, create, dynamic, shared on 2 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, left, right;

/* Puts my number to a place of the right neighbour's part; returns whether the left one's has arrived in mine. */
static int swap_numbers(MPI_Win window, const int *mine, MPI_Aint place) {
  const int value = 10 + rank;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(&value, 1, MPI_INT, right, place, 1, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  return *mine == 10 + left;
}

/* The MPI allocates: take this unless the memory exists already. */
static int allocated(void) {
  int *mine;
  MPI_Win window;
  MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  const int good = swap_numbers(window, mine, 0);
  MPI_Win_free(&window); /* frees the memory as well */
  return good;
}

/* Memory that the program has. Its base should be a multiple of 64 bytes. */
static int created(void) {
  int *mine = aligned_alloc(64, 64);
  MPI_Win window;
  MPI_Win_create(mine, sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  const int good = swap_numbers(window, mine, 0);
  MPI_Win_free(&window);
  free(mine);
  return good;
}

/* A window without memory, to which each rank attaches what it likes. Places are addresses, which the ranks tell each other. */
static int dynamic(void) {
  int mine = 0;
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, &mine, sizeof mine);
  MPI_Aint here, there;
  MPI_Get_address(&mine, &here);
  MPI_Sendrecv(&here, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int good = swap_numbers(window, &mine, there);
  MPI_Win_detach(window, &mine);
  MPI_Win_free(&window);
  return good;
}

/* Memory that the ranks of a node load and store, here without any put. */
static int shared(void) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int me, all, unit, *mine, *theirs;
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &all);
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, node, &mine, &window);
  MPI_Aint bytes;
  MPI_Win_shared_query(window, (me + 1) % all, &bytes, &unit, &theirs);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  *theirs = 20 + me;
  MPI_Win_sync(window); /* my stores are visible to others */
  MPI_Barrier(node);
  MPI_Win_sync(window); /* others' stores are visible to my loads */
  const int good = *mine == 20 + (me + all - 1) % all;
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  return good;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  const int parts[] = {allocated(), created(), dynamic(), shared()};
  int good = parts[0] && parts[1] && parts[2] && parts[3], every = 0;
  MPI_Allreduce(&good, &every, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("windows: %s: allocate, create, dynamic, shared on %d ranks\n", every ? "right" : "WRONG", ranks);
  MPI_Finalize();
  return every ? 0 : 1;
}
