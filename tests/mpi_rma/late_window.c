// A program that makes a window in MPI_Finalize, in a callback on the deletion of MPI_COMM_SELF, beside one before.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <stdio.h>

/// Stops the program if the put of the rank before has not arrived.
static void exchange(void) {
  int rank, size;
  long *mine;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  const long value = 100 + rank;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win);
  MPI_Win_fence(0, win);
  if (*mine != 100 + (rank + size - 1) % size) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Win_free(&win);
}

static int at_the_end(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  exchange();
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  exchange();
  MPI_Finalize();
  puts("ended");
  return 0;
}
