/* The smallest halo swap in two dimensions: a periodic plane in blocks, each with one cell of its neighbours around it.
 * Build: mpicc 03_halo.c $(pkg-config --cflags --libs halocline) -o 03_halo
 * Run:   mpiexec -n 4 ./03_halo    prints: 03_halo: 4 ranks, halo sum 858: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { N = 8 }; /* cells of the plane along each dimension */

/* What cell (i, j) of this rank's block holds, from -1 to local: its global coordinates, wrapped at the plane's edge. */
static double value(const hlc_grid *grid, int64_t i, int64_t j) {
  return (double)(10 * ((grid->start[0] + i + N) % N) + (grid->start[1] + j + N) % N);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));

  /* A block of the plane for each rank, with a halo of one cell, in memory that the neighbours read. */
  hlc_grid grid;
  CHECK(hlc_grid_create(context, 2, (int64_t[]){N, N}, NULL, (int[]){1, 1}, &grid));
  const int64_t n = grid.local[0], m = grid.local[1];
  void *data;
  CHECK(hlc_field_alloc(context, (size_t)((n + 2) * (m + 2)) * sizeof(double), &data));
  double *u = data;
  for (int64_t k = 0; k < (n + 2) * (m + 2); ++k) u[k] = -1;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) u[(i + 1) * (m + 2) + j + 1] = value(&grid, i, j);

  /* Plan once, swap as often as you like. */
  const hlc_field field = {.data = u, .type = HLC_FLOAT64};
  const hlc_halo_spec spec = {
      .grid = &grid, .depth_low = {1, 1}, .depth_high = {1, 1}, .layout = HLC_ROW_MAJOR, .nfields = 1, .fields = &field};
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  CHECK(hlc_halo_start(halo, NULL));
  CHECK(hlc_halo_finish(halo));

  double sum = 0; /* of the halo cells */
  int right = 1;
  for (int64_t i = -1; i <= n; ++i)
    for (int64_t j = -1; j <= m; ++j) {
      const double cell = u[(i + 1) * (m + 2) + j + 1];
      right = right && cell == value(&grid, i, j);
      if (i < 0 || i == n || j < 0 || j == m) sum += cell;
    }
  const int status = report("03_halo", "halo sum", (int64_t)sum, right);
  CHECK(hlc_halo_finalise(&halo));
  CHECK(hlc_field_free(context, &data));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
