/* The blocks of C in docs/guide, and what they take for granted. Each function runs one of them and verifies what it leaves.
 * scripts/readme.py compares the lines.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
/* The lines of the blocks are those of the page. */
/* clang-format off */
#include <halocline/blocks.h>
#include <halocline/index_halo.h>
#include <halocline/reduce.h>
#include <halocline/segment.h>
#include <halocline/sparse.h>
#include <halocline/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hlc_context *context;
static int rank, left, right;
static int faults;

static void fail(const char *message) {
  fprintf(stderr, "rank %d: %s\n", rank, message);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void stop(const char *message) { fail(message); }

#define CHECK(call) \
  if ((call) != HLC_OK) fail(hlc_error_message())

static void expect(int right_here, const char *what) {
  if (right_here) return;
  fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  ++faults;
}

/* ---------------------------------------------------------------- a block in three dimensions, joined at all sides */

typedef struct {
  hlc_grid grid;
  int64_t halo;  /* cells on each side */
  int64_t n[3];  /* cells with the halo */
  void *data;
} block;

static block make_block(int64_t halo) {
  block made = {.halo = halo};
  const int64_t global[3] = {8, 8, 8};
  const int periodic[3] = {1, 1, 1};
  CHECK(hlc_grid_create(context, 3, global, NULL, periodic, &made.grid));
  for (int d = 0; d < 3; ++d) made.n[d] = made.grid.local[d] + 2 * halo;
  CHECK(hlc_field_alloc(context, (size_t)(made.n[0] * made.n[1] * made.n[2]) * sizeof(double), &made.data));
  return made;
}

static void free_block(block *one) { CHECK(hlc_field_free(context, &one->data)); }

/* A cell of the block; its halo has negative coordinates, and those from local on. */
static double *cell_of(const block *one, const int64_t at[3]) {
  const int64_t h = one->halo;
  return (double *)one->data + at[0] + h + one->n[0] * (at[1] + h + one->n[1] * (at[2] + h));
}

/* What its owner writes there. */
static double value_of(const block *one, int field, const int64_t at[3]) {
  double value = field + 1;
  for (int d = 0; d < 3; ++d) value = 100 * value + (double)((one->grid.start[d] + at[d] + one->grid.global[d]) % one->grid.global[d]);
  return value;
}

/* Number of the direction in which a cell is, as hlc_view and fills count them; 13 is the block itself. */
static int direction_of(const block *one, const int64_t at[3]) {
  int number = 0;
  for (int d = 2; d >= 0; --d) number = 3 * number + (at[d] < 0 ? 0 : at[d] < one->grid.local[d] ? 1 : 2);
  return number;
}

enum { UNTOUCHED = -1 };

static void fill(const block *one, int field) {
  const int64_t h = one->halo, *local = one->grid.local;
  for (int64_t k = -h; k < local[2] + h; ++k)
    for (int64_t j = -h; j < local[1] + h; ++j)
      for (int64_t i = -h; i < local[0] + h; ++i) {
        const int64_t at[3] = {i, j, k};
        *cell_of(one, at) = direction_of(one, at) == 13 ? value_of(one, field, at) : UNTOUCHED;
      }
}

/* Whether exactly the halo cells up to this depth in the directions of the table have been filled; NULL: in all. */
static int is_filled(const block *one, int field, int64_t depth, const unsigned char *directions) {
  const int64_t h = one->halo, *local = one->grid.local;
  int good = 1;
  for (int64_t k = -h; k < local[2] + h; ++k)
    for (int64_t j = -h; j < local[1] + h; ++j)
      for (int64_t i = -h; i < local[0] + h; ++i) {
        const int64_t at[3] = {i, j, k};
        const int number = direction_of(one, at);
        int swapped = number == 13 || !directions || directions[number];
        for (int d = 0; d < 3; ++d) swapped = swapped && at[d] >= -depth && at[d] < local[d] + depth;
        good = good && *cell_of(one, at) == (swapped ? value_of(one, field, at) : UNTOUCHED);
      }
  return good;
}

static hlc_halo_spec spec_of(const block *one) { return (hlc_halo_spec){.grid = &one->grid, .depth_low = {1, 1, 1}, .depth_high = {1, 1, 1}, .layout = HLC_COLUMN_MAJOR}; }

/* ---------------------------------------------------------------- place the ranks, explain */

static void place_ranks(void) {
  hlc_grid grid;
  CHECK(hlc_grid_create(context, 3, (int64_t[]){16, 16, 16}, NULL, (int[]){1, 1, 1}, &grid));
  hlc_placement found;
  hlc_swap_shape shape = {.depth_low = {2, 2, 2}, .depth_high = {2, 2, 2}, .cell_bytes = 29 * sizeof(double)};
  hlc_grid_reorder(context, &shape, &grid, &found);   /* shape NULL: one cell deep, box */
  printf("%lld bytes cross nodes, %lld before\n", (long long)found.bytes_after, (long long)found.bytes_before);
  expect(found.bytes > 0 && found.bytes_after <= found.bytes_before, "a placement that is not better");
}

/* Ranks that the program has numbered along x first, on a periodic grid of nx by ny of them. */
static void swap_along_x(const hlc_grid *grid, int nx, int ny) {
  double u[6][6];                                      /* u[x][y], with its halo */
  for (int i = 0; i < 36; ++i) u[i / 6][i % 6] = rank + 1;
  const hlc_field field = {.data = u, .type = HLC_FLOAT64};
  const hlc_halo_spec spec = {.grid = grid, .depth_low = {1, 1}, .depth_high = {1, 1}, .layout = HLC_ROW_MAJOR, .nfields = 1, .fields = &field};
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  CHECK(hlc_halo_start(halo, NULL));
  CHECK(hlc_halo_finish(halo));
  int good = 1;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const int dx = i == 0 ? -1 : i == 5, dy = j == 0 ? -1 : j == 5, x = rank % nx, y = rank / nx;
      good = good && (int)u[i][j] == (x + dx + nx) % nx + nx * ((y + dy + ny) % ny) + 1;
    }
  expect(good, "a halo cell of another rank than the one that is there");
  CHECK(hlc_halo_finalise(&halo));
}

static void number_ranks_along_x(void) {
  hlc_context_info_t who;
  CHECK(hlc_context_info(context, &who));
  const int nx = who.size % 2 == 0 ? who.size / 2 : who.size, ny = who.size / nx;
  const int ranks[2] = {nx, ny}, periodic[2] = {1, 1};
  const int64_t cells[2] = {4 * nx, 4 * ny};
  hlc_grid grid;
  hlc_grid_create_ordered(context, HLC_COLUMN_MAJOR, 2, cells, ranks, periodic, &grid);   /* rank = x + nx * y */
  swap_along_x(&grid, nx, ny);
  hlc_grid own = {.ndims = 2, .dims = {nx, ny}, .periodic = {1, 1}, .coords = {rank % nx, rank / nx}, .local = {4, 4},
                  .order = HLC_COLUMN_MAJOR};
  swap_along_x(&own, nx, ny);
}

static void explain(hlc_halo *halo) {
  char text[8192];
  hlc_halo_explain(halo, HLC_FORMAT_TEXT, text, sizeof text, NULL);   /* C++: halo.explain(); Fortran: call hlc_halo_explain(halo, text) */
  puts(text);
  expect(strstr(text, "mode") != NULL, "an explanation that names no mode");
}

/* ---------------------------------------------------------------- views */

typedef struct { double *cells; int64_t stride[3]; } out_field;   /* cell (0, 0, 0) of the block; elements between neighbours */

static void stencil(const hlc_row *row, void *user) {             /* row k = (o1 + 1) + 3 (o2 + 1): 4 is the row itself */
  const out_field *out = user;
  const double *own = row->cells[4], *low1 = row->cells[3], *high1 = row->cells[5], *low2 = row->cells[1], *high2 = row->cells[7];
  double *to = out->cells + row->first[0] + row->first[1] * out->stride[1] + row->first[2] * out->stride[2];
  for (int64_t i = 0; i < row->count; ++i)
    to[i] = own[i - 1] + own[i + 1] + low1[i] + high1[i] + low2[i] + high2[i] - 6 * own[i];
}

/* The same for the whole domain. */
static void stencil_of_all(double to[8][8][8], double from[8][8][8]) {
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i)
        to[k][j][i] = from[k][j][(i + 7) % 8] + from[k][j][(i + 1) % 8] + from[k][(j + 7) % 8][i] + from[k][(j + 1) % 8][i] +
                      from[(k + 7) % 8][j][i] + from[(k + 1) % 8][j][i] - 6 * from[k][j][i];
}

static void read_views(void) {
  const int steps = 3;
  static double all[2][8][8][8];
  block blocks[2] = {make_block(1), make_block(1)};
  out_field field[2];
  hlc_field fields[2] = {{.data = blocks[0].data, .type = HLC_FLOAT64}, {.data = blocks[1].data, .type = HLC_FLOAT64}};
  for (int f = 0; f < 2; ++f)
    field[f] = (out_field){cell_of(&blocks[f], (int64_t[]){0, 0, 0}), {1, blocks[f].n[0], blocks[f].n[0] * blocks[f].n[1]}};
  hlc_halo_spec spec = spec_of(&blocks[0]);
  spec.stencil = HLC_STENCIL_STAR;
  spec.nfields = 2;
  spec.fields = fields;
  spec.mode = HLC_MODE_VIEW;
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  fill(&blocks[0], 0);
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) all[0][k][j][i] = 1e6 + 1e4 * i + 1e2 * j + k;

  for (int step = 0; step < steps; ++step) {
    int now = step % 2;                              /* fields 0 and 1 of one halo, in turn */
    hlc_swap one_field = {.nfields = 1, .fields = &now};
    hlc_view views[HLC_DIRECTIONS(3)];
    hlc_halo_start(halo, &one_field);                /* the views of the step before are invalid from here on */
    hlc_halo_finish_views(halo);                     /* mode view: nothing is copied; other modes: as hlc_halo_finish */
    hlc_halo_views(halo, now, views);                /* pointer, extents, strides, owner of each direction's cells */
    hlc_rows_spec rows = {.ndims = 3, .dim = 0, .views = views, .element_bytes = 8, .stencil = HLC_STENCIL_STAR, .reach = {1, 1, 1}};
    hlc_for_rows(&rows, stencil, &field[1 - now]);   /* reads one field, writes the other */
    stencil_of_all(all[1 - now], all[now]);
  }
  hlc_halo_release(halo);                            /* before the last field is written again */

  int good = 1;
  const hlc_grid *grid = &blocks[1].grid;
  for (int64_t k = 0; k < grid->local[2]; ++k)
    for (int64_t j = 0; j < grid->local[1]; ++j)
      for (int64_t i = 0; i < grid->local[0]; ++i)
        good = good && *cell_of(&blocks[steps % 2], (int64_t[]){i, j, k}) ==
                           all[steps % 2][grid->start[2] + k][grid->start[1] + j][grid->start[0] + i];
  expect(good, "a stencil that reads through views");
  CHECK(hlc_halo_finalise(&halo));
  for (int f = 0; f < 2; ++f) free_block(&blocks[f]);
}

/* ---------------------------------------------------------------- overlap, parts of a halo */

static const block *stepped;
static void step_cells_that_read_no_halo(void) { expect(direction_of(stepped, (int64_t[]){0, 0, 0}) == 13, "cells that read no halo"); }
static void step_the_rest(void) { expect(is_filled(stepped, 0, 1, NULL), "a halo that was filled beside a computation"); }

static void overlap(void) {
  block one = make_block(1);
  hlc_field field = {.data = one.data, .type = HLC_FLOAT64};
  hlc_halo_spec spec = spec_of(&one);
  spec.nfields = 1;
  spec.fields = &field;
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  fill(&one, 0);
  stepped = &one;
  hlc_halo_start(halo, NULL);      /* does not wait for anyone */
  step_cells_that_read_no_halo();
  hlc_halo_finish(halo);           /* waits, if it still has to */
  step_the_rest();
  explain(halo);
  CHECK(hlc_halo_finalise(&halo));
  free_block(&one);
}

static void swap_less(void) {
  block blocks[4];
  hlc_field fields[4];
  for (int f = 0; f < 4; ++f) {
    blocks[f] = make_block(2);
    fields[f] = (hlc_field){.data = blocks[f].data, .type = HLC_FLOAT64};
    fill(&blocks[f], f);
  }
  hlc_halo_spec spec = spec_of(&blocks[0]);
  spec.nfields = 4;
  spec.fields = fields;
  for (int d = 0; d < 3; ++d) spec.depth_low[d] = spec.depth_high[d] = 2;
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  hlc_swap what = {.one_dim = 1, .dim = 0, .side = HLC_SIDE_HIGH};            /* only the high halo of dimension 0 */
  hlc_swap some = {.nfields = 2, .fields = (int[]){0, 3}};                    /* fields 0 and 3 of the plan */
  hlc_swap near = {.depth = 1};                                               /* of each field one cell per side, that next to the block */
  CHECK(hlc_halo_start(halo, &what));
  CHECK(hlc_halo_finish(halo));
  const unsigned char high[HLC_DIRECTIONS(3)] = {[14] = 1};
  for (int f = 0; f < 4; ++f) expect(is_filled(&blocks[f], f, 2, high), "the high halo of one dimension");
  CHECK(hlc_halo_start(halo, &some));
  CHECK(hlc_halo_finish(halo));
  for (int f = 0; f < 4; ++f) expect(is_filled(&blocks[f], f, 2, f % 3 ? high : NULL), "the halos of two fields");
  for (int f = 0; f < 4; ++f) fill(&blocks[f], f);
  CHECK(hlc_halo_start(halo, &near));
  CHECK(hlc_halo_finish(halo));
  for (int f = 0; f < 4; ++f) expect(is_filled(&blocks[f], f, 1, NULL), "halos one cell deep");
  CHECK(hlc_halo_finalise(&halo));
  for (int f = 0; f < 4; ++f) free_block(&blocks[f]);
}

/* ---------------------------------------------------------------- components that move in one direction */

static void move_components(void) {
  block one = make_block(1);
  const int64_t nx = one.n[0], ny = one.n[1], cells = nx * ny * one.n[2];
  double *f = malloc((size_t)cells * 19 * sizeof *f);
  hlc_halo_spec spec = spec_of(&one);

  int velocity[19][3] = {{0, 0, 0}, {1, 0, 0}, /* ... */};
  int known = 2;
  for (int v = 0; v < 27; ++v) {
    const int now[3] = {v % 3 - 1, v / 3 % 3 - 1, v / 9 - 1}, sum = abs(now[0]) + abs(now[1]) + abs(now[2]);
    if (sum == 1 || sum == 2)
      if (now[0] != 1 || sum != 1) memcpy(velocity[known++], now, sizeof now);
  }
  expect(known == 19, "the number of velocities");

  unsigned char fills[19][HLC_DIRECTIONS(3)];
  hlc_field fields[19];
  for (int p = 0; p < 19; ++p) {
    fields[p] = (hlc_field){.data = f + p, .type = HLC_FLOAT64, .stride_bytes = {152, 152 * nx, 152 * nx * ny}};  /* 19 values per cell */
    hlc_fills_moving(3, velocity[p], fills[p]);
  }
  spec.nfields = 19;
  spec.fields = fields;
  spec.fills = &fills[0][0];   /* or fill the table by hand: 0 leaves a direction out */

  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  for (int p = 0; p < 19; ++p) {
    fill(&one, p);
    for (int64_t c = 0; c < cells; ++c) f[19 * c + p] = ((double *)one.data)[c];
  }
  CHECK(hlc_halo_start(halo, NULL));
  CHECK(hlc_halo_finish(halo));
  for (int p = 0; p < 19; ++p) {
    int entered = 0;
    for (int v = 0; v < 27; ++v) entered += v != 13 && fills[p][v];
    const int moving = abs(velocity[p][0]) + abs(velocity[p][1]) + abs(velocity[p][2]);
    expect(entered == (moving == 0 ? 0 : moving == 1 ? 1 : 3), "the directions that a component comes from");
    for (int64_t c = 0; c < cells; ++c) ((double *)one.data)[c] = f[19 * c + p];
    expect(is_filled(&one, p, 1, fills[p]), "the halo of a component that moves");
  }
  CHECK(hlc_halo_finalise(&halo));
  free(f);
  free_block(&one);
}

/* ---------------------------------------------------------------- wider arrays, other arrays */

static void wider_arrays(void) {
  block one = make_block(3);
  const int64_t nx = one.grid.local[0], ny = one.grid.local[1];
  double(*u)[ny + 6][nx + 6] = one.data;
  hlc_halo_spec spec = spec_of(&one);
  spec.nfields = 1;
  /* u has 3 halo cells on each side, this plan swaps one: double u[nz + 6][ny + 6][nx + 6] */
  hlc_field field = {.data = &u[2][2][2], .type = HLC_FLOAT64, .stride_bytes = {8, 8 * (nx + 6), 8 * (nx + 6) * (ny + 6)}};
  for (int d = 0; d < 3; ++d) spec.depth_low[d] = spec.depth_high[d] = 1;
  spec.fields = &field;
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  fill(&one, 0);
  CHECK(hlc_halo_start(halo, NULL));
  CHECK(hlc_halo_finish(halo));
  expect(is_filled(&one, 0, 1, NULL), "one of three halo cells");
  CHECK(hlc_halo_finalise(&halo));
  free_block(&one);
}

static void other_arrays(void) {
  block blocks[3] = {make_block(1), make_block(1), make_block(1)};
  void *u_new = blocks[2].data;
  hlc_field fields[2] = {{.data = blocks[0].data, .type = HLC_FLOAT64}, {.data = blocks[1].data, .type = HLC_FLOAT64}};
  hlc_halo_spec spec = spec_of(&blocks[0]);
  spec.nfields = 2;
  spec.fields = fields;
  hlc_halo *halo;
  for (int b = 0; b < 3; ++b) fill(&blocks[b], b);
  spec.rebind = 1;                                  /* hlc_halo_init */
  CHECK(hlc_halo_init(context, &spec, &halo));
  void *const next[] = {u_new, NULL};               /* field 0 is there in this swap, field 1 as in the spec */
  hlc_halo_start_with(halo, NULL, next);
  hlc_halo_finish(halo);
  expect(is_filled(&blocks[0], 0, 0, NULL), "an array that is not swapped now");
  expect(is_filled(&blocks[1], 1, 1, NULL), "the array of the spec");
  expect(is_filled(&blocks[2], 2, 1, NULL), "another array");
  CHECK(hlc_halo_finalise(&halo));
  for (int b = 0; b < 3; ++b) free_block(&blocks[b]);
}

/* ---------------------------------------------------------------- blocks, on this rank alone */

/* A second field on the faces across dimension 0. */
static void cells_and_faces(hlc_blocks_spec spec, const hlc_box *boxes, double *u1, double *u2) {
  double *v1 = calloc(43 * 62, sizeof *v1), *v2 = calloc(27 * 62, sizeof *v2);
  for (int j = 0; j < 60; ++j)
    for (int i = 0; i < 64; ++i) *(i < 40 ? &v1[i + 1 + 43 * (j + 1)] : &v2[i - 40 + 1 + 27 * (j + 1)]) = 7000 + i + 100 * j;
  hlc_field fields[4] = {{.data = u1, .type = HLC_FLOAT64}, {.data = v1, .type = HLC_FLOAT64},
                         {.data = u2, .type = HLC_FLOAT64}, {.data = v2, .type = HLC_FLOAT64}};
  hlc_field_shape shapes[2] = {{.stagger = {HLC_CENTRED, HLC_CENTRED}},          /* in the cells, with the depths of the spec */
                               {.stagger = {HLC_NODES_OWNED, HLC_CENTRED},       /* on the faces across dimension 0 */
                                .own_depth = 1, .depth_low = {1, 1}, .depth_high = {1, 1}}};
  spec.shapes = shapes;
  spec.blocks = boxes;
  spec.nfields = 2;
  spec.fields = fields;
  hlc_blocks *blocks;
  CHECK(hlc_blocks_init(context, &spec, &blocks));
  CHECK(hlc_blocks_start(blocks, NULL));
  CHECK(hlc_blocks_finish(blocks));
  for (int j = 0; j < 60; ++j) {
    expect(v1[43 * (j + 1)] == 7000 + 63 + 100 * j && v1[41 + 43 * (j + 1)] == 7000 + 40 + 100 * j &&
               v1[42 + 43 * (j + 1)] == 7000 + 41 + 100 * j, "the faces around the first block");
    expect(v2[25 + 27 * (j + 1)] == 7000 + 0 + 100 * j && v2[26 + 27 * (j + 1)] == 7000 + 1 + 100 * j, "the faces above the second block");
  }
  CHECK(hlc_blocks_finalise(&blocks));
  free(v1);
  free(v2);
}

static void several_blocks(void) {
  hlc_context *const all = context;
  CHECK(hlc_init(MPI_COMM_SELF, &context));
  double *u1 = calloc(44 * 64, sizeof *u1), *u2 = calloc(28 * 64, sizeof *u2);
  for (int j = 0; j < 60; ++j)
    for (int i = 0; i < 64; ++i) *(i < 40 ? &u1[i + 2 + 44 * (j + 2)] : &u2[i - 40 + 2 + 28 * (j + 2)]) = 1 + i + 100 * j;
  hlc_blocks *blocks;
  hlc_box boxes[2] = {{.start = {0, 0}, .count = {40, 60}, .id = 1}, {.start = {40, 0}, .count = {24, 60}, .id = 2}};
  hlc_field fields[2] = {{.data = u1, .type = HLC_FLOAT64}, {.data = u2, .type = HLC_FLOAT64}};
  hlc_blocks_spec spec = {.ndims = 2, .global = {64, 60}, .periodic = {1, 0}, .depth_low = {2, 2}, .depth_high = {2, 2},
                          .layout = HLC_COLUMN_MAJOR, .nblocks = 2, .blocks = boxes, .nfields = 1, .fields = fields};
  hlc_blocks_init(context, &spec, &blocks);
  hlc_blocks_start(blocks, NULL);
  hlc_blocks_finish(blocks);
  for (int j = 0; j < 60; ++j) {
    expect(u1[1 + 44 * (j + 2)] == 1 + 63 + 100 * j && u1[42 + 44 * (j + 2)] == 1 + 40 + 100 * j, "the halo of the first block");
    expect(u2[1 + 28 * (j + 2)] == 1 + 39 + 100 * j && u2[26 + 28 * (j + 2)] == 1 + 0 + 100 * j, "the halo of the second block");
  }
  CHECK(hlc_blocks_finalise(&blocks));
  cells_and_faces(spec, boxes, u1, u2);
  CHECK(hlc_finalise(&context));
  free(u1);
  free(u2);
  context = all;
}

/* ---------------------------------------------------------------- a code with its own names */

typedef struct {
  block cells;
  hlc_halo *halo;
} field_t;

static void plan_halo(field_t *field) {
  hlc_field one = {.data = field->cells.data, .type = HLC_FLOAT64};
  hlc_halo_spec spec = spec_of(&field->cells);
  spec.nfields = 1;
  spec.fields = &one;
  CHECK(hlc_halo_init(context, &spec, &field->halo));
}

void field_halo_post(field_t *field);
void field_halo_wait(field_t *field);

void field_halo_post(field_t *field) {
  if (!field->halo) plan_halo(field);              /* collective: all ranks call this at the first post */
  if (hlc_halo_start(field->halo, NULL) != HLC_OK) stop(hlc_error_message());
}
void field_halo_wait(field_t *field) {
  if (hlc_halo_finish(field->halo) != HLC_OK) stop(hlc_error_message());
}

static void own_names(void) {
  field_t field = {.cells = make_block(1)};
  for (int f = 0; f < 2; ++f) {
    fill(&field.cells, f);
    field_halo_post(&field);
    field_halo_wait(&field);
    expect(is_filled(&field.cells, f, 1, NULL), "a field that plans its halo at the first post");
  }
  CHECK(hlc_halo_finalise(&field.halo));
  free_block(&field.cells);
}

/* ---------------------------------------------------------------- exchanges and meshes */

static int received[2];
static void pack(int neighbour, void *buffer, void *user) { *(int *)buffer = 10 * *(int *)user + neighbour; }
static void unpack(int neighbour, const void *buffer, void *user) {
  expect(*(int *)user == rank, "the caller's pointer");
  received[neighbour] = *(const int *)buffer;
}

static void exchange_with_sides(void) {
  const int below = left, above = right;
  const int64_t n = sizeof(int);
  hlc_neighbour sides[] = {{.rank = below, .tag_out = 0, .tag_in = 1, .bytes_out = n, .bytes_in = n},
                           {.rank = above, .tag_out = 1, .tag_in = 0, .bytes_out = n, .bytes_in = n}};
  hlc_exchange *exchange;
  CHECK(hlc_exchange_create(context, &(hlc_exchange_spec){.nneighbours = 2, .neighbours = sides, .pack = pack, .unpack = unpack, .user = &rank},
                            &exchange));
  CHECK(hlc_exchange_start(exchange));
  CHECK(hlc_exchange_finish(exchange));
  expect(received[0] == 10 * below + 1 && received[1] == 10 * above, "what two sides send");
  CHECK(hlc_exchange_destroy(&exchange));
}

static void compute_what_needs_no_ghosts(void) {}

/* Entries 0 to 9 are the rank's own; 10 and 11 are the left neighbour's 8 and 9, the others the right one's 0 to 2. */
static void unstructured_mesh(void) {
  const int64_t nentries = 15, out_left[] = {0, 1, 2}, in_left[] = {10, 11}, out_right[] = {8, 9}, in_right[] = {12, 13, 14};
  double(*u)[5] = calloc(15, sizeof *u), *k = calloc(30, sizeof *k);
  for (int i = 0; i < 10; ++i) {
    for (int c = 0; c < 5; ++c) u[i][c] = 1000 * rank + 10 * i + c;
    for (int c = 0; c < 2; ++c) k[15 * c + i] = 1000 * rank + 10 * i + c + 0.5;
  }
  hlc_index_halo *halo;
  hlc_index_neighbour neighbours[] = {{.rank = left, .tag_out = 0, .tag_in = 1, .nout = 3, .out = out_left, .nin = 2, .in = in_left},
                                      {.rank = right, .tag_out = 1, .tag_in = 0, .nout = 2, .out = out_right, .nin = 3, .in = in_right}};
  hlc_index_field fields[] = {{.data = u, .type = HLC_FLOAT64, .components = 5, .name = "u"},                                  /* u[entry][5] */
                              {.data = k, .type = HLC_FLOAT64, .components = 2, .component_stride_bytes = nentries * sizeof *k}};  /* k[2][entry] */
  hlc_index_halo_spec spec = {.nentries = nentries, .nneighbours = 2, .neighbours = neighbours, .nfields = 2, .fields = fields};
  hlc_index_halo_init(context, &spec, &halo);

  hlc_index_halo_start(halo, NULL);     /* owners to ghosts */
  compute_what_needs_no_ghosts();
  hlc_index_halo_finish(halo);

  for (int g = 0; g < 5; ++g) {
    const int owner = g < 2 ? left : right, entry = g < 2 ? 8 + g : g - 2;
    for (int c = 0; c < 5; ++c) expect(u[10 + g][c] == 1000 * owner + 10 * entry + c, "components side by side");
    for (int c = 0; c < 2; ++c) expect(k[15 * c + 10 + g] == 1000 * owner + 10 * entry + c + 0.5, "components in blocks");
  }

  hlc_index_halo_start(halo, &(hlc_index_swap){.reverse = 1});   /* ghosts added to owners, then 0: finite-element assembly */
  hlc_index_halo_finish(halo);

  for (int i = 0; i < 15; ++i) {
    const double times = i >= 10 ? 0 : i < 3 || i >= 8 ? 2 : 1;
    for (int c = 0; c < 5; ++c) expect(u[i][c] == times * (1000 * rank + 10 * i + c), "ghosts added to owners");
  }
  CHECK(hlc_index_halo_finalise(&halo));
  free(u);
  free(k);
}

/* ---------------------------------------------------------------- notified puts, reductions, sparse exchanges */

static void notified_put(void) {
  const uint32_t step = 5;
  const int64_t mine[2] = {rank, 7}, bytes = sizeof mine;
  hlc_segment *segment;
  hlc_segment_create(context, &(hlc_segment_spec){.bytes = 4096, .notifications = 2}, &segment);
  hlc_put_notify((hlc_target){segment, right, 0}, mine, bytes, (hlc_notification){.id = 0, .value = step});   /* to the right */
  int id;
  uint32_t value;
  hlc_notify_wait(segment, (hlc_ids){.first = 0, .count = 1}, &id);      /* from the left: its data are in my part */
  hlc_notify_reset(segment, id, &value);
  const int64_t *part = hlc_segment_data(segment);
  expect(id == 0 && value == step && part[0] == left && part[1] == 7, "a notified put");
  CHECK(hlc_segment_free(&segment));
}

static void reduction(void) {
  const int steps = 2, n = 3;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double mine[3] = {1, rank, 2};
  double sum[3] = {0};
  hlc_allreduce_spec spec = {0};
  spec.count = n;
  spec.type = HLC_FLOAT64;
  spec.reduction = HLC_REDUCE_SUM;
  hlc_allreduce *plan = NULL;
  if (hlc_allreduce_create(context, &spec, &plan) != HLC_OK) fail(hlc_error_message());
  for (int step = 0; step < steps; ++step)
    if (hlc_allreduce_run(plan, mine, sum) != HLC_OK) fail(hlc_error_message()); /* sum may be mine */
  hlc_allreduce_destroy(&plan);
  expect(sum[0] == size && sum[1] == size * (size - 1) / 2.0 && sum[2] == 2 * size, "a reduction");
}

static void receive(int origin, const void *data, int64_t bytes, void *user) {
  memcpy((char *)user + 64 * origin, data, (size_t)bytes); /* they are valid only now */
}

static void sparse_exchange(void) {
  char inbox[64 * 64] = "";
  const char west[] = "to the west", east[] = "to the east";
  const int64_t west_bytes = sizeof west, east_bytes = sizeof east;
  hlc_sparse_spec spec = {0};
  spec.receive = receive;
  spec.user = inbox;
  hlc_sparse *sparse = NULL;
  if (hlc_sparse_create(context, &spec, &sparse) != HLC_OK) fail(hlc_error_message());
  hlc_sparse_message messages[] = {{left, west, west_bytes}, {right, east, east_bytes}}; /* rank, data, bytes */
  if (hlc_sparse_exchange(sparse, 2, messages) != HLC_OK) fail(hlc_error_message()); /* all ranks, also those that send nothing */
  hlc_sparse_destroy(&sparse);
  expect(strcmp(inbox + 64 * left, east) == 0 && strcmp(inbox + 64 * right, west) == 0, "messages that were not expected");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));
  if (info.size < 3) fail("needs 3 ranks, so that the neighbours are two");
  rank = info.rank;
  left = (rank + info.size - 1) % info.size;
  right = (rank + 1) % info.size;
  void (*const parts[])(void) = {place_ranks, number_ranks_along_x, read_views, overlap, swap_less, move_components, wider_arrays, other_arrays, several_blocks,
                                 own_names, exchange_with_sides, unstructured_mesh, notified_put, reduction, sparse_exchange};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) parts[i]();
  CHECK(hlc_finalise(&context));
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("the guide's C: %s\n", all ? "WRONG" : "right");
  MPI_Finalize();
  return all ? EXIT_FAILURE : EXIT_SUCCESS;
}
