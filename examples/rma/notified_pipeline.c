/*
 * A pipeline: each rank works on a block that the rank before it has put, and puts it to the next one. A place is free again once its owner has
 * notified the sender by a put of no bytes. docs/rma/notification.md explains it.
 * Build: mpicc notified_pipeline.c -lhalocline_mpix -o notified_pipeline
 * Run:   halocline-run --mpi -n 4 ./notified_pipeline    prints: notified_pipeline: right: 50 blocks through 4 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <halocline/mpix.h>
#include <stdio.h>

enum { BLOCKS = 50, NUMBERS = 1000, PLACES = 2, FULL = 0, FREE = 1 };

static void await(MPIX_Notify request) {
  MPIX_Notify_start(request);
  MPIX_Notify_wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, ranks, good = 1, all = 0;
  double *place, block[NUMBERS];
  MPI_Win window;
  MPIX_Notify full = MPIX_NOTIFY_NULL, freed = MPIX_NOTIFY_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_first = rank == 0, is_last = rank == ranks - 1;
  MPI_Win_allocate(PLACES * NUMBERS * sizeof *place, sizeof *place, MPI_INFO_NULL, MPI_COMM_WORLD, &place, &window);
  MPIX_Win_set_num_notify(window, MPI_INFO_NULL, 2);
  if (!is_first) MPIX_Win_notify_init(rank - 1, FULL, 1, window, &full);
  if (!is_last) MPIX_Win_notify_init(rank + 1, FREE, 1, window, &freed);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (int b = 0; b < BLOCKS; ++b) {
    const MPI_Aint first = b % PLACES * NUMBERS;
    if (!is_first) await(full);
    for (int i = 0; i < NUMBERS; ++i) block[i] = (is_first ? b + i : place[first + i]) + 1;
    if (!is_first) MPIX_Put_notify(NULL, 0, MPI_DOUBLE, rank - 1, 0, 0, MPI_DOUBLE, FREE, window);
    if (!is_last) {
      if (b >= PLACES) await(freed); /* the next rank has taken what I had put there */
      MPIX_Put_notify(block, NUMBERS, MPI_DOUBLE, rank + 1, first, NUMBERS, MPI_DOUBLE, FULL, window);
      MPI_Win_flush_local(rank + 1, window); /* block may be changed */
    }
    for (int i = 0; is_last && i < NUMBERS; ++i) good = good && block[i] == b + i + ranks;
  }
  MPI_Win_unlock_all(window);

  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("notified_pipeline: %s: %d blocks through %d ranks\n", all ? "right" : "WRONG", BLOCKS, ranks);
  if (!is_first) MPIX_Notify_free(&full);
  if (!is_last) MPIX_Notify_free(&freed);
  MPI_Win_free(&window);
  MPI_Finalize();
  return all ? 0 : 1;
}
