// What still works after MPI_Finalize. Swaps are refused with HLC_ERR_STATE and do not call MPI. Releases return HLC_ERR_STATE and release
// what a rank can release alone. Fields can be freed, and the context closes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <halocline/segment.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

int passed = 0, failed = 0;

void expect(const char *what, hlc_status expected, hlc_status status) {
  ++(status == expected ? passed : failed);
  if (status != expected)
    std::printf("%s: expected %s, got %s: %s\n", what, hlc_status_name(expected), hlc_status_name(status), hlc_error_message());
}

/// After MPI_Finalize a call returns HLC_ERR_STATE, with its own name in the message.
void expect_late(const char *call, hlc_status status) {
  expect(call, HLC_ERR_STATE, status);
  const bool named = std::strncmp(hlc_error_message(), call, std::strlen(call)) == 0;
  ++(named ? passed : failed);
  if (!named) std::printf("%s: the message is: %s\n", call, hlc_error_message());
}

void expect_gone(const char *what, const void *handle) {
  ++(handle ? failed : passed);
  if (handle) std::printf("%s: the handle is still there\n", what);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hlc_context *context = nullptr;
  expect("hlc_init", HLC_OK, hlc_init(MPI_COMM_WORLD, &context));
  void *data = nullptr;
  expect("hlc_field_alloc", HLC_OK, hlc_field_alloc(context, 12 * sizeof(double), &data));
  const std::int64_t global = 8 * size;
  const int periodic = 1;
  hlc_grid grid{};
  expect("hlc_grid_create", HLC_OK, hlc_grid_create(context, 1, &global, nullptr, &periodic, &grid));
  hlc_field field{};
  field.data = data;
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = 2;
  spec.nfields = 1;
  spec.fields = &field;
  // No windows: MPI may wait for them in MPI_Finalize.
  const hlc_mode modes[] = {HLC_MODE_P2P, HLC_MODE_NOTIFY, HLC_MODE_DIRECT, HLC_MODE_VIEW};
  hlc_halo *halos[HLC_MODE_COUNT_] = {};
  for (const hlc_mode mode : modes) {
    spec.mode = mode;
    expect("hlc_halo_init", HLC_OK, hlc_halo_init(context, &spec, &halos[mode]));
  }
  // One swap is in progress at the end.
  expect("hlc_halo_start", HLC_OK, hlc_halo_start(halos[HLC_MODE_DIRECT], nullptr));
  hlc_allreduce_spec sum{};
  sum.count = 1;
  sum.type = HLC_FLOAT64;
  hlc_allreduce *plan = nullptr;
  expect("hlc_allreduce_create", HLC_OK, hlc_allreduce_create(context, &sum, &plan));
  const hlc_segment_spec bytes{};
  hlc_segment *segment = nullptr;
  expect("hlc_segment_create", HLC_OK, hlc_segment_create(context, &bytes, &segment));
  MPI_Finalize();

  expect_late("hlc_halo_finish", hlc_halo_finish(halos[HLC_MODE_DIRECT]));
  expect_late("hlc_halo_start", hlc_halo_start(halos[HLC_MODE_P2P], nullptr));
  for (const hlc_mode mode : modes) {
    expect_late("hlc_halo_finalise", hlc_halo_finalise(&halos[mode]));
    expect_gone("hlc_halo_finalise", halos[mode]);
  }
  expect_late("hlc_allreduce_destroy", hlc_allreduce_destroy(&plan));
  expect_gone("hlc_allreduce_destroy", plan);
  expect_late("hlc_segment_free", hlc_segment_free(&segment));
  expect_gone("hlc_segment_free", segment);
  expect("hlc_field_free", HLC_OK, hlc_field_free(context, &data));
  expect_late("hlc_finalise", hlc_finalise(&context));
  expect_gone("hlc_finalise", context);
  if (rank == 0) std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0 ? 1 : 0;
}
