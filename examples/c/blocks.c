/* Boxes of any size, several per rank and distributed in turn: each rank owns every size-th box of a domain that is periodic in x. A halo
 * of two cells is filled by the owners of these cells. No rank looks up its neighbours.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { NX = 40, NY = 12, DEPTH = 2, PER_RANK = 3 };
static double value(int64_t x, int64_t y) { return (double)(1000 * ((x + NX) % NX) + y); }

/* Visits all cells of a box's array. It writes the box's own, or counts those of box and halo that do not hold their owner's value. */
static int visit(const hlc_box *box, double *cells, int write) {
  int wrong = 0;
  const int64_t nx = box->count[0] + 2 * DEPTH, ny = box->count[1] + 2 * DEPTH;
  for (int64_t j = 0; j < ny; ++j)
    for (int64_t i = 0; i < nx; ++i) {
      const int64_t x = box->start[0] + i - DEPTH, y = box->start[1] + j - DEPTH;
      const int own = i >= DEPTH && i < nx - DEPTH && j >= DEPTH && j < ny - DEPTH;
      const double right = y < 0 || y >= NY ? -1 : value(x, y); /* beyond the open sides nothing is filled */
      if (write) cells[i + nx * j] = own ? value(x, y) : -1;
      wrong += cells[i + nx * j] != right;
    }
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));
  /* The domain is cut along x into as many boxes as all ranks have together; their widths differ. */
  hlc_box boxes[PER_RANK] = {{{0}, {0}, 0, 0}};
  hlc_field fields[PER_RANK] = {{0}};
  double *arrays;
  const size_t most = (size_t)(NX + 2 * DEPTH) * (NY + 2 * DEPTH);
  CHECK(hlc_field_alloc(context, PER_RANK * most * sizeof(double), (void **)&arrays));
  const int n = PER_RANK * info.size;
  for (int b = 0; b < PER_RANK; ++b) {
    const int64_t number = b * info.size + info.rank, end = NX * (number + 1) / n;
    boxes[b].id = number;
    boxes[b].start[0] = NX * number / n;
    boxes[b].count[0] = end - boxes[b].start[0];
    boxes[b].count[1] = NY;
    fields[b] = (hlc_field){.data = arrays + (size_t)b * most, .type = HLC_FLOAT64, .name = "u"};
    visit(&boxes[b], fields[b].data, 1);
  }
  const hlc_blocks_spec spec = {.ndims = 2,
                                .global = {NX, NY},
                                .periodic = {1},
                                .depth_low = {DEPTH, DEPTH},
                                .depth_high = {DEPTH, DEPTH},
                                .layout = HLC_COLUMN_MAJOR,
                                .nblocks = PER_RANK,
                                .blocks = boxes,
                                .nfields = 1,
                                .fields = fields};
  hlc_blocks *blocks;
  CHECK(hlc_blocks_init(context, &spec, &blocks));
  CHECK(hlc_blocks_start(blocks, NULL));
  CHECK(hlc_blocks_finish(blocks));
  int wrong = 0;
  for (int b = 0; b < PER_RANK; ++b) wrong += visit(&boxes[b], fields[b].data, 0);
  const int result = verdict("blocks (C)", wrong == 0, "every halo cell has its owner's value");
  CHECK(hlc_blocks_finalise(&blocks));
  CHECK(hlc_field_free(context, (void **)&arrays));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return result;
}
