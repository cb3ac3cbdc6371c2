/* The reverse swap is the adjoint of the swap. S is the swap (interior to interior and halo) and S* the reverse swap. <S x, y> must be <x,
 * S* y> for any x and y. The numbers here are small integers, so the two sums are equal to the last bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { NX = 12, NY = 10, NZ = 5, DEPTH = 2 };

/* The block with its halo: x periodic, y open, z periodic; row-major. */
typedef struct Block {
  int64_t extent[3], low[3], high[3], cells;
} Block;

static Block block_of(const hlc_grid *grid) {
  Block b = {.cells = 1};
  for (int d = 0; d < 3; ++d) {
    b.extent[d] = grid->local[d] + 2 * DEPTH;
    b.low[d] = DEPTH;
    b.high[d] = DEPTH + grid->local[d];
    b.cells *= b.extent[d];
  }
  return b;
}

static int is_interior(const Block *b, int64_t cell) {
  const int64_t at[3] = {cell / (b->extent[1] * b->extent[2]), cell / b->extent[2] % b->extent[1], cell % b->extent[2]};
  for (int d = 0; d < 3; ++d)
    if (at[d] < b->low[d] || at[d] >= b->high[d]) return 0;
  return 1;
}

/* Integers from -50 to 50 that look random and differ from rank to rank. */
static double noise(int64_t cell, int rank, int which) {
  uint64_t h = (uint64_t)cell * 0x9E3779B97F4A7C15u + (uint64_t)(rank * 2 + which) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 30)) * 0x94D049BB133111EBu;
  return (double)((h >> 33) % 101) - 50;
}

static double dot(const double *a, const double *b, int64_t n) {
  double mine = 0, all = 0;
  for (int64_t i = 0; i < n; ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void swap(hlc_halo *halo, int field, int reverse) {
  CHECK(hlc_halo_start(halo, &(hlc_swap){.nfields = 1, .fields = &field, .reverse = reverse}));
  CHECK(hlc_halo_finish(halo));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));

  hlc_grid grid;
  CHECK(hlc_grid_create(context, 3, (int64_t[]){NX, NY, NZ}, (int[]){0, 0, 1}, (int[]){1, 0, 1}, &grid));
  const Block block = block_of(&grid);
  const size_t bytes = (size_t)block.cells * sizeof(double);
  void *shared[2];
  for (int k = 0; k < 2; ++k) CHECK(hlc_field_alloc(context, bytes, &shared[k]));
  double *x = shared[0], *y = shared[1];
  const hlc_field fields[2] = {{.data = x, .type = HLC_FLOAT64, .name = "x"}, {.data = y, .type = HLC_FLOAT64, .name = "y"}};
  const hlc_halo_spec spec = {.grid = &grid,
                              .depth_low = {DEPTH, DEPTH, DEPTH},
                              .depth_high = {DEPTH, DEPTH, DEPTH},
                              .layout = HLC_ROW_MAJOR,
                              .nfields = 2,
                              .fields = fields};
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));

  /* x is 0 in the halo; y is not. */
  double *x0 = malloc(bytes), *y0 = malloc(bytes);
  for (int64_t i = 0; i < block.cells; ++i) {
    x[i] = x0[i] = is_interior(&block, i) ? noise(i, info.rank, 0) : 0;
    y[i] = y0[i] = noise(i, info.rank, 1);
  }
  swap(halo, 0, 0);
  swap(halo, 1, 1);
  const double forward = dot(x, y0, block.cells), reverse = dot(x0, y, block.cells), without = dot(x0, y0, block.cells);

  const int right = forward == reverse && forward != without;
  if (!right && info.rank == 0) printf("<S x, y> = %.0f, <x, S* y> = %.0f, without halo %.0f\n", forward, reverse, without);
  const int result = verdict("adjoint (C)", right, "<S x, y> equals <x, S* y> to the last bit");
  free(x0);
  free(y0);
  CHECK(hlc_halo_finalise(&halo));
  for (int k = 0; k < 2; ++k) CHECK(hlc_field_free(context, &shared[k]));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return result;
}
