/*
 * A producer and its consumers. Rank 0 puts an item to each other rank, and the next one to a rank that has notified it of a result. The value of the
 * notification is the item's number; -1 ends. docs/rma/notification.md explains it.
 * Build: mpicc notified_queue.c -lhalocline_mpix -o notified_queue
 * Run:   halocline-run --mpi -n 4 ./notified_queue    prints: notified_queue: right: 200 items for 3 consumers
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <halocline/mpix.h>
#include <stdio.h>

enum { ITEMS = 200, ITEM = 0, RESULT = 1, END = -1 };
static int ranks;
static MPI_Win window;

/* Returns the sum of all results. place[r] is where rank r puts its result. */
static double produce(const double *place) {
  double sum = 0;
  int next = 1, busy = 0;
  MPIX_Notify result;
  MPIX_Win_notify_init(MPI_ANY_SOURCE, RESULT, 1, window, &result);
  for (int rank = 1; rank < ranks || busy > 0;) {
    MPI_Status status = {.MPI_SOURCE = rank};
    if (rank < ranks) {
      ++rank; /* its first item */
    } else {
      MPIX_Notify_start(result);
      MPIX_Notify_wait(result, &status);
      sum += place[status.MPI_SOURCE], --busy;
    }
    const int number = next <= ITEMS ? next++ : END;
    const double item = 0.5 * number;
    MPIX_Put_notify_value(&item, 1, MPI_DOUBLE, status.MPI_SOURCE, 0, 1, MPI_DOUBLE, ITEM, number, window);
    MPI_Win_flush_local(status.MPI_SOURCE, window); /* item may be changed */
    busy += number != END;
  }
  MPIX_Notify_free(&result);
  return sum;
}

static void consume(int rank, const double *place) {
  for (;;) {
    int found, number;
    MPIX_Win_notify_waitsome(window, ITEM, 1, &found);
    MPIX_Win_notify_reset(window, found, &number);
    if (number == END) return;
    const double result = *place * *place;
    MPIX_Put_notify(&result, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, RESULT, window);
    MPI_Win_flush_local(0, window);
  }
}

int main(int argc, char **argv) {
  int rank, good = 1;
  double *place, expected = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate((MPI_Aint)(ranks * sizeof *place), sizeof *place, MPI_INFO_NULL, MPI_COMM_WORLD, &place, &window);
  MPIX_Win_set_num_notify(window, MPI_INFO_NULL, 2);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) {
    for (int i = 1; i <= ITEMS; ++i) expected += 0.25 * i * i;
    good = produce(place) == (ranks > 1 ? expected : 0);
    printf("notified_queue: %s: %d items for %d consumers\n", good ? "right" : "WRONG", ITEMS, ranks - 1);
  } else {
    consume(rank, place);
  }
  MPI_Win_unlock_all(window);
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return good ? 0 : 1;
}
