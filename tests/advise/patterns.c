/* An MPI program that exchanges with its neighbours in a ring, in one of several ways: what `halocline advise` must find in it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More records than the recorder keeps mapped. */
enum { COUNT = 512, STEPS = 240 };

static double array[4 * COUNT];
static int rank, ranks, up, down;
static MPI_Comm comm;
static MPI_Request requests[4];

static void waitall(void) {
  MPI_Irecv(array, COUNT, MPI_DOUBLE, down, 0, comm, &requests[0]); /* begin waitall */
  MPI_Irecv(array + COUNT, COUNT, MPI_DOUBLE, up, 1, comm, &requests[1]);
  MPI_Isend(array + 2 * COUNT, COUNT, MPI_DOUBLE, up, 0, comm, &requests[2]);
  MPI_Isend(array + 3 * COUNT, COUNT, MPI_DOUBLE, down, 1, comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); /* end waitall */
}

static void sendrecv(void) {
  MPI_Sendrecv(array, COUNT, MPI_DOUBLE, up, 0, array + COUNT, COUNT, MPI_DOUBLE, down, 0, comm, MPI_STATUS_IGNORE); /* begin sendrecv */
  MPI_Sendrecv(array, COUNT, MPI_DOUBLE, down, 1, array + COUNT, COUNT, MPI_DOUBLE, up, 1, comm, MPI_STATUS_IGNORE); /* end sendrecv */
}

/* The sender is found by the status, which the program does not ask for. */
static void any_source(void) {
  MPI_Irecv(array, COUNT, MPI_DOUBLE, MPI_ANY_SOURCE, 0, comm, &requests[0]); /* begin any_source */
  MPI_Irecv(array + COUNT, COUNT, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, &requests[1]);
  MPI_Isend(array + 2 * COUNT, COUNT, MPI_DOUBLE, up, 0, comm, &requests[2]);
  MPI_Isend(array + 3 * COUNT, COUNT, MPI_DOUBLE, down, 1, comm, &requests[3]);
  for (int i = 0; i < 4; ++i) {
    int which;
    MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE); /* end any_source */
  }
}

static void init_persistent(void) {
  MPI_Recv_init(array, COUNT, MPI_DOUBLE, down, 0, comm, &requests[0]);
  MPI_Recv_init(array + COUNT, COUNT, MPI_DOUBLE, up, 1, comm, &requests[1]);
  MPI_Send_init(array + 2 * COUNT, COUNT, MPI_DOUBLE, up, 0, comm, &requests[2]);
  MPI_Send_init(array + 3 * COUNT, COUNT, MPI_DOUBLE, down, 1, comm, &requests[3]);
}

static void persistent(void) {
  int flag = 0;
  MPI_Startall(4, requests); /* begin persistent */
  while (!flag) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE); /* end persistent */
}

/* Every fourth number: a datatype with runs of 8 bytes. */
static void typed(void) {
  static MPI_Datatype column = MPI_DATATYPE_NULL;
  if (column == MPI_DATATYPE_NULL) {
    MPI_Type_vector(COUNT, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
  }
  MPI_Irecv(array, 1, column, down, 0, comm, &requests[0]); /* begin typed */
  MPI_Send(array + 1, 1, column, up, 0, comm);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* end typed */
}

static void neighbours(void) {
  MPI_Neighbor_alltoall(array, COUNT, MPI_DOUBLE, array + 2 * COUNT, COUNT, MPI_DOUBLE, comm); /* begin neighbours */ /* end neighbours */
}

static void window(void) {
  static MPI_Win win = MPI_WIN_NULL;
  if (win == MPI_WIN_NULL) MPI_Win_create(array, sizeof array, 8, MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(0, win);
  MPI_Put(array, COUNT, MPI_DOUBLE, up, COUNT, COUNT, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

/* Rank 1 calls send late, which no library mends. */
static void late(void) {
  if (rank == 1) {
    const double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 0.002) {
    }
  }
  waitall();
}

static void nothing(void) {}

static void crash(void) {
  static int step;
  waitall();
  if (++step == STEPS && rank == 1) abort();
}

static const struct {
  const char *name;
  void (*swap)(void);
} kinds[] = {{"waitall", waitall},       {"sendrecv", sendrecv},
             {"any_source", any_source}, {"persistent", persistent},
             {"typed", typed},           {"neighbours", neighbours},
             {"window", window},         {"late", late},
             {"nothing", nothing},       {"crash", crash}};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){1}, 0, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_shift(comm, 0, 1, &down, &up);
  if (argc > 1 && strcmp(argv[1], "persistent") == 0) init_persistent();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    for (int step = 0; argc > 1 && strcmp(argv[1], kinds[i].name) == 0 && step < STEPS; ++step) kinds[i].swap();
  MPI_Finalize();
  return 0;
}
