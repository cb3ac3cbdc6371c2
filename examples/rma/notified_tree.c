/*
 * A sum over a binary tree, and its return. A parent waits by one request until all its children have put their parts, in any order.
 * docs/rma/notification.md explains it.
 * Build: mpicc notified_tree.c -lhalocline_mpix -o notified_tree
 * Run:   halocline-run --mpi -n 4 ./notified_tree    prints: notified_tree: right: 50 sums of 4 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <halocline/mpix.h>
#include <stdio.h>

enum { SUMS = 50, UP = 0, DOWN = 1, RESULT = 2 };

static void await(MPIX_Notify request) {
  MPIX_Notify_start(request);
  MPIX_Notify_wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, ranks, good = 1, all = 0;
  double *part; /* of each child, then the result */
  MPI_Win window;
  MPIX_Notify up = MPIX_NOTIFY_NULL, down = MPIX_NOTIFY_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int parent = (rank - 1) / 2, which = (rank + 1) % 2, first_child = 2 * rank + 1;
  const int children = first_child + 1 < ranks ? 2 : (first_child < ranks ? 1 : 0);
  MPI_Win_allocate(3 * sizeof *part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  MPIX_Win_set_num_notify(window, MPI_INFO_NULL, 2);
  if (children > 0) MPIX_Win_notify_init(MPI_ANY_SOURCE, UP, children, window, &up);
  if (rank > 0) MPIX_Win_notify_init(parent, DOWN, 1, window, &down);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (int s = 0; s < SUMS; ++s) {
    double sum = rank + s;
    if (children > 0) await(up);
    for (int child = 0; child < children; ++child) sum += part[child];
    if (rank > 0) {
      MPIX_Put_notify(&sum, 1, MPI_DOUBLE, parent, which, 1, MPI_DOUBLE, UP, window);
      await(down);
      MPI_Win_flush_local(parent, window);
      sum = part[RESULT];
    }
    for (int child = 0; child < children; ++child)
      MPIX_Put_notify(&sum, 1, MPI_DOUBLE, first_child + child, RESULT, 1, MPI_DOUBLE, DOWN, window);
    MPI_Win_flush_local_all(window); /* sum may be changed */
    good = good && sum == ranks * (ranks - 1) / 2 + ranks * s;
  }
  MPI_Win_unlock_all(window);

  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("notified_tree: %s: %d sums of %d ranks\n", all ? "right" : "WRONG", SUMS, ranks);
  if (children > 0) MPIX_Notify_free(&up);
  if (rank > 0) MPIX_Notify_free(&down);
  MPI_Win_free(&window);
  MPI_Finalize();
  return all ? 0 : 1;
}
