/*
 * A halo swap by notified puts: each rank waits for its two neighbours, and for no other rank. docs/rma/notification.md explains it.
 * Build: mpicc notified_halo.c -lhalocline_mpix -o notified_halo
 * Run:   halocline-run --mpi -n 4 ./notified_halo    prints: notified_halo: right: 100 steps on 4 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <halocline/mpix.h>
#include <stdio.h>

enum { CELLS = 16, STEPS = 100, LEFT = 0, RIGHT = 1 };

int main(int argc, char **argv) {
  int rank, ranks, good = 1, all = 0;
  double cell[CELLS], sum = 0, before = 0, after = 0, *ghost;
  MPI_Win window;
  MPIX_Notify from_left, from_right;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int i = 0; i < CELLS; ++i) cell[i] = rank * CELLS + i, sum += cell[i];
  MPI_Allreduce(&sum, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  /* Two ghosts per side, which the steps use in turn. A neighbour that has notified me of step s has read those of step s - 1. */
  MPI_Win_allocate(4 * sizeof *ghost, sizeof *ghost, MPI_INFO_NULL, MPI_COMM_WORLD, &ghost, &window);
  MPIX_Win_set_num_notify(window, MPI_INFO_NULL, 2);
  MPIX_Win_notify_init(left, LEFT, 1, window, &from_left);
  MPIX_Win_notify_init(right, RIGHT, 1, window, &from_right);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (int step = 0; step < STEPS; ++step) {
    const int turn = 2 * (step % 2);
    MPIX_Put_notify(&cell[0], 1, MPI_DOUBLE, left, turn + RIGHT, 1, MPI_DOUBLE, RIGHT, window);
    MPIX_Put_notify(&cell[CELLS - 1], 1, MPI_DOUBLE, right, turn + LEFT, 1, MPI_DOUBLE, LEFT, window);
    MPIX_Notify_start(from_left);
    MPIX_Notify_start(from_right);
    MPIX_Notify_wait(from_left, MPI_STATUS_IGNORE);
    MPIX_Notify_wait(from_right, MPI_STATUS_IGNORE);
    MPI_Win_flush_local_all(window); /* cells may be changed: the puts have read them */
    double last = ghost[turn + LEFT];
    for (int i = 0; i < CELLS; ++i) {
      const double next = i + 1 < CELLS ? cell[i + 1] : ghost[turn + RIGHT], mine = cell[i];
      cell[i] = 0.25 * last + 0.5 * mine + 0.25 * next;
      last = mine;
    }
  }
  MPI_Win_unlock_all(window);

  /* Diffusion on a ring keeps the sum, and evens the cells out. */
  sum = 0;
  for (int i = 0; i < CELLS; ++i) sum += cell[i];
  MPI_Allreduce(&sum, &after, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  good = after - before < 1e-9 * before && before - after < 1e-9 * before;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("notified_halo: %s: %d steps on %d ranks\n", all ? "right" : "WRONG", STEPS, ranks);
  MPIX_Notify_free(&from_left), MPIX_Notify_free(&from_right);
  MPI_Win_free(&window);
  MPI_Finalize();
  return all ? 0 : 1;
}
