/*
 * A halo of a ring by a persistent neighbourhood collective. docs/rma/collectives.md explains it.
 * Build: mpicc neighbor_halo.c -o neighbor_halo    (MPI 4; with MPI 3.1: -I PREFIX/include -L PREFIX/lib -lhalocline_mpi)
 * Run:   mpiexec -n 4 halocline-run --mpi ./neighbor_halo    prints: neighbor_halo: right: 100 steps on 4 ranks
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>
#if MPI_VERSION < 4
#include <halocline/mpi4.h>
#endif

enum { CELLS = 64, STEPS = 100 };

int main(int argc, char **argv) {
  int rank, ranks, left, right, good = 1, all = 0;
  const int periodic = 1;
  double cells[CELLS + 2]; /* the first and the last are the halo */
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 1, &ring);
  MPI_Comm_rank(ring, &rank);
  MPI_Cart_shift(ring, 0, 1, &left, &right);

  /* For each neighbour, left then right: how many, where from the first cell in bytes, of which type. */
  const int counts[2] = {1, 1};
  const MPI_Aint edges[2] = {sizeof(double), CELLS * sizeof(double)}, halo[2] = {0, (CELLS + 1) * sizeof(double)};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Request swap;
  MPI_Neighbor_alltoallw_init(cells, counts, edges, types, cells, counts, halo, types, ring, MPI_INFO_NULL, &swap);

  for (int step = 0; step < STEPS; ++step) {
    for (int i = 1; i <= CELLS; ++i) cells[i] = rank * 1000 + step + i / 1000.0;
    MPI_Start(&swap);
    /* work on inner cells */
    MPI_Wait(&swap, MPI_STATUS_IGNORE);
    good = good && cells[0] == left * 1000 + step + CELLS / 1000.0 && cells[CELLS + 1] == right * 1000 + step + 1 / 1000.0;
  }

  MPI_Request_free(&swap);
  MPI_Comm_free(&ring);
  MPI_Reduce(&good, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("neighbor_halo: %s: %d steps on %d ranks\n", all ? "right" : "wrong", STEPS, ranks);
  MPI_Finalize();
  return rank == 0 && !all;
}
