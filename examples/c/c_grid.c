/* A shallow-water model on a C grid: height in the cells, velocities on the faces between them, in a basin with walls. One swap per step
 * moves the three fields in one message per neighbour. The faces between two ranks are shared: both compute them. Every value is that of a
 * serial run, bit by bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { NX = 40, NY = 24, STEPS = 100 };
static const double DT = 0.2, CORIOLIS = 0.1; /* depth, gravity and the cells' width are 1 */

/* A block with a halo one cell deep. Face i of u is below cell i in x, face j of v below cell j in y. */
typedef struct {
  int64_t first[2], n[2]; /* its first cell in the basin, and its cells */
  double *h, *u, *v, *new_u, *new_v;
} block;

static double *in_cell(const block *b, double *h, int64_t i, int64_t j) { return h + (i + 1) * (b->n[1] + 2) + j + 1; }
static double *on_x_face(const block *b, double *u, int64_t i, int64_t j) { return u + (i + 1) * (b->n[1] + 2) + j + 1; }
static double *on_y_face(const block *b, double *v, int64_t i, int64_t j) { return v + (i + 1) * (b->n[1] + 3) + j + 1; }
static size_t bytes(const block *b) { return (size_t)((b->n[0] + 3) * (b->n[1] + 3)) * sizeof(double); }

static void set_hill(const block *b) {
  for (int64_t i = 0; i < b->n[0]; ++i)
    for (int64_t j = 0; j < b->n[1]; ++j) {
      const double x = (double)(b->first[0] + i - NX / 3), y = (double)(b->first[1] + j - NY / 2);
      *in_cell(b, b->h, i, j) = 1 / (1 + (x * x + y * y) / 20);
    }
}

/* Faces in x, without the walls: the slope of h, and the mean of the four v around. */
static void turn_u(const block *b) {
  for (int64_t i = 0; i <= b->n[0]; ++i)
    for (int64_t j = 0; j < b->n[1]; ++j) {
      const int64_t face = b->first[0] + i;
      if (face == 0 || face == NX) continue;
      const double slope = *in_cell(b, b->h, i, j) - *in_cell(b, b->h, i - 1, j);
      const double west = *on_y_face(b, b->v, i - 1, j) + *on_y_face(b, b->v, i - 1, j + 1);
      const double east = *on_y_face(b, b->v, i, j) + *on_y_face(b, b->v, i, j + 1);
      *on_x_face(b, b->new_u, i, j) = *on_x_face(b, b->u, i, j) + DT * (CORIOLIS * (west + east) / 4 - slope);
    }
}

static void turn_v(const block *b) {
  for (int64_t i = 0; i < b->n[0]; ++i)
    for (int64_t j = 0; j <= b->n[1]; ++j) {
      const int64_t face = b->first[1] + j;
      if (face == 0 || face == NY) continue;
      const double slope = *in_cell(b, b->h, i, j) - *in_cell(b, b->h, i, j - 1);
      const double south = *on_x_face(b, b->u, i, j - 1) + *on_x_face(b, b->u, i + 1, j - 1);
      const double north = *on_x_face(b, b->u, i, j) + *on_x_face(b, b->u, i + 1, j);
      *on_y_face(b, b->new_v, i, j) = *on_y_face(b, b->v, i, j) - DT * (CORIOLIS * (south + north) / 4 + slope);
    }
}

/* Both faces of each cell are in the block, so that h needs no swap between. */
static void step(const block *b) {
  turn_u(b);
  turn_v(b);
  for (int64_t i = 0; i <= b->n[0]; ++i)
    for (int64_t j = 0; j < b->n[1]; ++j) *on_x_face(b, b->u, i, j) = *on_x_face(b, b->new_u, i, j);
  for (int64_t i = 0; i < b->n[0]; ++i)
    for (int64_t j = 0; j <= b->n[1]; ++j) *on_y_face(b, b->v, i, j) = *on_y_face(b, b->new_v, i, j);
  for (int64_t i = 0; i < b->n[0]; ++i)
    for (int64_t j = 0; j < b->n[1]; ++j)
      *in_cell(b, b->h, i, j) -=
          DT * (*on_x_face(b, b->u, i + 1, j) - *on_x_face(b, b->u, i, j) + *on_y_face(b, b->v, i, j + 1) - *on_y_face(b, b->v, i, j));
}

/* The whole basin on one rank. It has walls around it, so that no halo is read. */
static int same_as_serial(const block *mine) {
  block all = {.n = {NX, NY}};
  double **arrays[] = {&all.h, &all.u, &all.v, &all.new_u, &all.new_v};
  for (int a = 0; a < 5; ++a) *arrays[a] = calloc(1, bytes(&all));
  set_hill(&all);
  for (int t = 0; t < STEPS; ++t) step(&all);
  int same = 1;
  for (int64_t i = 0; i <= mine->n[0]; ++i)
    for (int64_t j = 0; j <= mine->n[1]; ++j) {
      const int64_t x = mine->first[0] + i, y = mine->first[1] + j;
      if (i < mine->n[0] && j < mine->n[1]) same = same && *in_cell(mine, mine->h, i, j) == *in_cell(&all, all.h, x, y);
      if (j < mine->n[1]) same = same && *on_x_face(mine, mine->u, i, j) == *on_x_face(&all, all.u, x, y);
      if (i < mine->n[0]) same = same && *on_y_face(mine, mine->v, i, j) == *on_y_face(&all, all.v, x, y);
    }
  for (int a = 0; a < 5; ++a) free(*arrays[a]);
  return same;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_grid grid;
  CHECK(hlc_grid_create(context, 2, (int64_t[]){NX, NY}, NULL, NULL, &grid));
  block mine = {.first = {grid.start[0], grid.start[1]}, .n = {grid.local[0], grid.local[1]}};
  void *arrays[5];
  for (int a = 0; a < 5; ++a) CHECK(hlc_field_alloc(context, bytes(&mine), &arrays[a]));
  mine.h = arrays[0], mine.u = arrays[1], mine.v = arrays[2], mine.new_u = arrays[3], mine.new_v = arrays[4];
  set_hill(&mine);

  /* One plan for fields in the cells and on the faces. */
  const hlc_field fields[3] = {{.data = mine.h, .type = HLC_FLOAT64, .name = "h"},
                               {.data = mine.u, .type = HLC_FLOAT64, .name = "u"},
                               {.data = mine.v, .type = HLC_FLOAT64, .name = "v"}};
  const hlc_field_shape shapes[3] = {
      {.stagger = {HLC_CENTRED, HLC_CENTRED}}, {.stagger = {HLC_NODES_SHARED, HLC_CENTRED}}, {.stagger = {HLC_CENTRED, HLC_NODES_SHARED}}};
  const hlc_halo_spec spec = {.grid = &grid,
                              .depth_low = {1, 1},
                              .depth_high = {1, 1},
                              .stencil = HLC_STENCIL_STAR,
                              .layout = HLC_ROW_MAJOR,
                              .nfields = 3,
                              .fields = fields,
                              .shapes = shapes};
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));
  for (int t = 0; t < STEPS; ++t) {
    CHECK(hlc_halo_start(halo, NULL));
    CHECK(hlc_halo_finish(halo));
    step(&mine);
  }

  const int result = verdict("C grid (C)", same_as_serial(&mine), "every value is that of a serial run");
  CHECK(hlc_halo_finalise(&halo));
  for (int a = 0; a < 5; ++a) CHECK(hlc_field_free(context, &arrays[a]));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return result;
}
