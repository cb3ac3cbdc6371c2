/* The block of docs/guide/gpu.md, in a program that is linked to the stand-in for CUDA's driver. Each rank has a row of cells.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
/* The lines of the block are those of the page. */
/* clang-format off */
#include <halocline/halocline.h>

#include <stdint.h>
#include <stdio.h>

#include "device/stand_in.h"

enum { CELLS = 6 };

static int fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 1;
}
#define CHECK(call) \
  if ((call) != HLC_OK) fail(hlc_error_message())
#define DRIVER(call) \
  if ((call) != 0) fail("a call of the driver failed: " #call)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CUcontext device;
  CUdeviceptr u;
  DRIVER(cuInit(0));
  DRIVER(cuDevicePrimaryCtxRetain(&device, 0));
  DRIVER(cuCtxPushCurrent_v2(device));
  DRIVER(cuMemAlloc_v2(&u, CELLS * sizeof(double)));
  double cells[CELLS] = {-1, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3, 10 * rank + 4, -1};
  DRIVER(cuMemcpyHtoD_v2(u, cells, sizeof cells));

  hlc_context *context;
  hlc_grid grid = {0};
  hlc_field field = {.type = HLC_FLOAT64, .name = "u"};
  hlc_halo_spec spec = {.grid = &grid, .depth_low = {1}, .depth_high = {1}, .layout = HLC_ROW_MAJOR, .nfields = 1, .fields = &field};
  hlc_halo *halo;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  grid.ndims = 1;
  grid.dims[0] = size;
  grid.coords[0] = rank;
  grid.periodic[0] = 1;
  grid.local[0] = CELLS - 2;
  field.data = (void *)u;                          /* CUdeviceptr of cuMemAlloc, or the pointer of cudaMalloc */
  hlc_halo_init(context, &spec, &halo);
  hlc_halo_start(halo, NULL);
  hlc_halo_finish(halo);                           /* the halo is in the device's memory */

  DRIVER(cuMemcpyDtoH_v2(cells, u, sizeof cells));
  wrong = cells[0] != 10 * ((rank + size - 1) % size) + 4 || cells[CELLS - 1] != 10 * ((rank + 1) % size) + 1 || cells[1] != 10 * rank + 1;
  if (wrong) fprintf(stderr, "rank %d: wrong: %g and %g\n", rank, cells[0], cells[CELLS - 1]);
  CHECK(hlc_halo_finalise(&halo));
  CHECK(hlc_finalise(&context));
  DRIVER(cuMemFree_v2(u));
  DRIVER(cuCtxPopCurrent_v2(&device));
  DRIVER(cuDevicePrimaryCtxRelease_v2(0));
  MPI_Finalize();
  return wrong;
}
