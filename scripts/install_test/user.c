/* A program outside the tree: swaps one periodic row and says what it saw. SPDX-License-Identifier: BSD-3-Clause */
#include <halocline/halocline.h>
#include <stdio.h>
#include <stdlib.h>

static void check(hlc_status status) {
  if (status == HLC_OK) return;
  fprintf(stderr, "%s: %s\n", hlc_status_name(status), hlc_error_message());
  exit(1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context = NULL;
  hlc_context_info_t info;
  check(hlc_init(MPI_COMM_WORLD, &context));
  check(hlc_context_info(context, &info));

  hlc_grid grid;
  check(hlc_grid_create(context, 1, (int64_t[]){4 * info.size}, NULL, (int[]){1}, &grid));
  void *memory = NULL;
  check(hlc_field_alloc(context, 6 * sizeof(double), &memory));
  double *row = memory;
  for (int i = 1; i <= 4; ++i) row[i] = 100.0 * info.rank + i;

  hlc_field field = {.data = row, .type = HLC_FLOAT64};
  hlc_halo_spec spec = {.grid = &grid, .depth_low = {1}, .depth_high = {1}, .nfields = 1, .fields = &field};
  hlc_halo *halo = NULL;
  check(hlc_halo_init(context, &spec, &halo));
  check(hlc_halo_start(halo, NULL));
  check(hlc_halo_finish(halo));
  if (row[0] != 100.0 * ((info.rank + info.size - 1) % info.size) + 4) return 1;
  if (row[5] != 100.0 * ((info.rank + 1) % info.size) + 1) return 1;
  printf("rank %d of %d sees its neighbour\n", info.rank, info.size);

  check(hlc_halo_finalise(&halo));
  check(hlc_field_free(context, &memory));
  check(hlc_finalise(&context));
  return MPI_Finalize();
}
