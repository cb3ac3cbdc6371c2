/* Diffusion on a periodic plane that is cut into rows, with messages: what docs/howto/from-p2p.md begins with.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16, COLUMNS = 64, STEPS = 100 }; /* rows of each rank; row 0 and row ROWS + 1 are the halo */
typedef double plane[ROWS + 2][COLUMNS];

static int above, below;

static void swap_halo(plane u) {
  MPI_Request requests[4];
  MPI_Irecv(u[0], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(u[ROWS + 1], COLUMNS, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(u[ROWS], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u[1], COLUMNS, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void diffuse(plane from, plane to) {
  for (int i = 1; i <= ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) to[i][j] = 0.5 * from[i][j] + 0.25 * (from[i - 1][j] + from[i + 1][j]);
}

static double heat_of(plane u) {
  double mine = 0, all = 0;
  for (int i = 1; i <= ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) mine += u[i][j];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  above = (rank + ranks - 1) % ranks, below = (rank + 1) % ranks;
  plane *u = calloc(2, sizeof *u);
  u[0][1][rank] = 1000; /* one hot cell per rank */

  const double before = heat_of(u[0]);
  for (int step = 0; step < STEPS; ++step) {
    swap_halo(u[step % 2]);
    diffuse(u[step % 2], u[1 - step % 2]);
  }
  const int right = fabs(heat_of(u[STEPS % 2]) - before) < 1e-6;

  if (rank == 0) printf("rows: %s: the heat of all ranks is conserved\n", right ? "right" : "WRONG");
  free(u);
  MPI_Finalize();
  return right ? 0 : 1;
}
