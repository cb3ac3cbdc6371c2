/* The heat equation on a periodic plane. The start is a wave that each step multiplies by a known factor, so every cell of the result
 * is known.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <math.h>

enum { NX = 48, NY = 64, STEPS = 50 };
static const double ALPHA = 0.2, TWO_PI = 6.283185307179586;

static double *cell(double *u, const hlc_grid *grid, int64_t i, int64_t j) { return u + (i + 1) * (grid->local[1] + 2) + j + 1; }

static double wave(const hlc_grid *grid, int64_t i, int64_t j) {
  return sin(TWO_PI * (double)(grid->start[0] + i) / NX) * cos(TWO_PI * (double)(grid->start[1] + j) / NY);
}

static void set_wave(double *u, const hlc_grid *grid) {
  for (int64_t i = 0; i < grid->local[0]; ++i)
    for (int64_t j = 0; j < grid->local[1]; ++j) *cell(u, grid, i, j) = wave(grid, i, j);
}

static void relax(double *from, double *to, const hlc_grid *grid) {
  for (int64_t i = 0; i < grid->local[0]; ++i)
    for (int64_t j = 0; j < grid->local[1]; ++j) {
      const double here = *cell(from, grid, i, j);
      const double around =
          *cell(from, grid, i - 1, j) + *cell(from, grid, i + 1, j) + *cell(from, grid, i, j - 1) + *cell(from, grid, i, j + 1);
      *cell(to, grid, i, j) = here + ALPHA * (around - 4 * here);
    }
}

/* The largest difference from the wave times the factor of all steps. */
static double largest_error(double *u, const hlc_grid *grid) {
  const double factor = 1 + 2 * ALPHA * (cos(TWO_PI / NX) - 1) + 2 * ALPHA * (cos(TWO_PI / NY) - 1);
  double largest = 0;
  for (int64_t i = 0; i < grid->local[0]; ++i)
    for (int64_t j = 0; j < grid->local[1]; ++j)
      largest = fmax(largest, fabs(*cell(u, grid, i, j) - pow(factor, STEPS) * wave(grid, i, j)));
  return largest;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));

  /* The plane in blocks, two copies of it in memory that the ranks of a node share. */
  hlc_grid grid;
  CHECK(hlc_grid_create(context, 2, (int64_t[]){NX, NY}, NULL, (int[]){1, 1}, &grid));
  void *u[2];
  for (int k = 0; k < 2; ++k) CHECK(hlc_field_alloc(context, (size_t)((grid.local[0] + 2) * (grid.local[1] + 2)) * sizeof(double), &u[k]));
  set_wave(u[0], &grid);

  /* The halo: plan once, then swap the copy that is read, and step. */
  hlc_field fields[2] = {{.data = u[0], .type = HLC_FLOAT64}, {.data = u[1], .type = HLC_FLOAT64}};
  hlc_halo_spec spec = {.grid = &grid,
                        .depth_low = {1, 1},
                        .depth_high = {1, 1},
                        .stencil = HLC_STENCIL_STAR,
                        .layout = HLC_ROW_MAJOR,
                        .nfields = 2,
                        .fields = fields};
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  for (int step = 0; step < STEPS; ++step) {
    const int now = step % 2;
    CHECK(hlc_halo_start(halo, &(hlc_swap){.nfields = 1, .fields = &now}));
    CHECK(hlc_halo_finish(halo));
    relax(u[now], u[1 - now], &grid);
  }

  const int result = verdict("heat (C)", largest_error(u[STEPS % 2], &grid) < 1e-12, "every cell is the wave times the known factor");
  CHECK(hlc_halo_finalise(&halo));
  for (int k = 0; k < 2; ++k) CHECK(hlc_field_free(context, &u[k]));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return result;
}
