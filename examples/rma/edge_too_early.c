/* Between start and finish neighbours read the edge of the interior. docs/rma/mistakes-halo.md explains it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "check.h" /* examples/c */

enum { CELLS = 4 }; /* of a rank's block; cells[0] and cells[CELLS + 1] are its halo */

/* The status of finish: with HALOCLINE_CHECK=1 a broken rule is HLC_ERR_RULE. */
static hlc_status wrong(hlc_halo *halo, double *cells) {
  CHECK(hlc_halo_start(halo, NULL));
  cells[1] = -1; /* the neighbour may get this value, or the one before */
  return hlc_halo_finish(halo);
}

static hlc_status right(hlc_halo *halo, double *cells) {
  CHECK(hlc_halo_start(halo, NULL));
  cells[2] = -1; /* no neighbour reads this cell */
  CHECK(hlc_halo_finish(halo));
  cells[1] = 2; /* the swap is over */
  return HLC_OK;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t me;
  CHECK(hlc_context_info(context, &me));
  hlc_grid grid;
  CHECK(hlc_grid_create(context, 1, (int64_t[]){CELLS * me.size}, NULL, (int[]){1}, &grid));
  void *data;
  CHECK(hlc_field_alloc(context, (CELLS + 2) * sizeof(double), &data));
  double *cells = data;
  for (int i = 1; i <= CELLS; ++i) cells[i] = 10 * me.rank + i;
  const hlc_field field = {.data = cells, .type = HLC_FLOAT64, .name = "u"};
  hlc_halo *halo;
  CHECK(
      hlc_halo_init(context, &(hlc_halo_spec){.grid = &grid, .depth_low = {1}, .depth_high = {1}, .nfields = 1, .fields = &field}, &halo));

  int good = 1;
  if (argc < 2 || strcmp(argv[1], "right") == 0) {
    const int left = (me.rank + me.size - 1) % me.size;
    good = right(halo, cells) == HLC_OK && cells[0] == 10 * left + CELLS;
    verdict("edge_too_early", good, "nothing was found");
    fflush(stdout);
  }
  if (argc < 2 || strcmp(argv[1], "wrong") == 0) good = wrong(halo, cells) == HLC_ERR_RULE && good;
  CHECK(hlc_halo_finalise(&halo));
  CHECK(hlc_field_free(context, &data));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
