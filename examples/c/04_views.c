/* Views: each rank reads the cells beside its block in place, in the neighbour's interior. Nothing is copied.
 * Build: mpicc 04_views.c $(pkg-config --cflags --libs halocline) -o 04_views
 * Run:   mpiexec -n 4 ./04_views    prints: 04_views: 4 ranks, west plus east 419: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { N = 4 }; /* cells of each rank */

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));

  /* A ring of cells: N of each rank, and a halo cell at either end, which stays as it is. */
  hlc_grid grid;
  CHECK(hlc_grid_create(context, 1, (int64_t[]){N * info.size}, NULL, (int[]){1}, &grid));
  void *data;
  CHECK(hlc_field_alloc(context, (N + 2) * sizeof(double), &data));
  double *u = data;
  const hlc_field field = {.data = u, .type = HLC_FLOAT64};
  const hlc_halo_spec spec = {.grid = &grid, .depth_low = {1}, .depth_high = {1}, .nfields = 1, .fields = &field, .mode = HLC_MODE_VIEW};
  hlc_halo *halo;
  CHECK(hlc_halo_init(context, &spec, &halo));

  const int64_t first = grid.start[0], before = (first + N * info.size - 1) % (N * info.size), behind = (first + N) % (N * info.size);
  double west = 0, east = 0;
  int right = 1;
  for (int step = 1; step <= 2; ++step) {
    for (int i = 0; i < N; ++i) u[1 + i] = (double)(100 * step + first + i);
    CHECK(hlc_halo_start(halo, NULL));
    CHECK(hlc_halo_finish_views(halo));

    /* In one dimension view 0 is to the west, view 1 my own block, view 2 to the east. */
    hlc_view views[HLC_DIRECTIONS(1)];
    CHECK(hlc_halo_views(halo, 0, views));
    west = *(const double *)views[0].data;
    east = *(const double *)views[2].data;
    right = right && west == (double)(100 * step + before) && east == (double)(100 * step + behind);

    /* The neighbours read my cells until they release them. After this I may write again. */
    CHECK(hlc_halo_release(halo));
  }
  const int status = report("04_views", "west plus east", (int64_t)(west + east), right);
  CHECK(hlc_halo_finalise(&halo));
  CHECK(hlc_field_free(context, &data));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
