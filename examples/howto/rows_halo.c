/* The program rows_p2p.c with a halo of the library: what docs/howto/from-p2p.md ends with. SPDX-License-Identifier: BSD-3-Clause */
#include <halocline/halocline.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16, COLUMNS = 64, STEPS = 100 }; /* rows of each rank; row 0 and row ROWS + 1 are the halo */
typedef double plane[ROWS + 2][COLUMNS];

static void check(hlc_status status) {
  if (status == HLC_OK) return;
  fprintf(stderr, "%s\n", hlc_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(EXIT_FAILURE); /* in some MPIs the call returns */
}

static void swap_halo(hlc_halo *halo, int which) {
  check(hlc_halo_start(halo, &(hlc_swap){.nfields = 1, .fields = &which}));
  check(hlc_halo_finish(halo));
}

/* Two copies of the plane, which are swapped in turn: two fields of one plan. */
static hlc_halo *plan(hlc_context *context, hlc_grid grid, plane *u) {
  const hlc_field fields[2] = {{.data = u[0], .type = HLC_FLOAT64, .name = "even"}, {.data = u[1], .type = HLC_FLOAT64, .name = "odd"}};
  const hlc_halo_spec spec = {
      .grid = &grid, .depth_low = {1, 0}, .depth_high = {1, 0}, .layout = HLC_ROW_MAJOR, .nfields = 2, .fields = fields};
  hlc_halo *halo;
  check(hlc_halo_init(context, &spec, &halo));
  return halo;
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
  hlc_context *context;
  hlc_grid grid;
  check(hlc_init(MPI_COMM_WORLD, &context));
  check(hlc_grid_create(context, 2, (int64_t[]){(int64_t)ROWS * ranks, COLUMNS}, (int[]){ranks, 1}, (int[]){1, 0}, &grid));
  void *memory;
  check(hlc_field_alloc(context, 2 * sizeof(plane), &memory)); /* zeros, in memory that neighbours read */
  plane *u = memory;
  hlc_halo *halo = plan(context, grid, u);
  u[0][1][rank] = 1000; /* one hot cell per rank */

  const double before = heat_of(u[0]);
  for (int step = 0; step < STEPS; ++step) {
    swap_halo(halo, step % 2);
    diffuse(u[step % 2], u[1 - step % 2]);
  }
  const int right = fabs(heat_of(u[STEPS % 2]) - before) < 1e-6;

  if (rank == 0) printf("rows: %s: the heat of all ranks is conserved\n", right ? "right" : "WRONG");
  check(hlc_halo_finalise(&halo));
  check(hlc_field_free(context, &memory));
  check(hlc_finalise(&context));
  MPI_Finalize();
  return right ? 0 : 1;
}
