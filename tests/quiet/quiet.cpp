// One launch of quiet.py: `quiet shared|own` makes and swaps two halos in every mode (with own memory: in mode direct) and prints nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

hlc_status swap_once(hlc_context *context, hlc_mode mode, void *data) {
  hlc_context_info_t info{};
  hlc_grid grid{};
  if (hlc_status status = hlc_context_info(context, &info)) return status;
  const std::int64_t global = 8 * info.size;
  const int periodic = 1;
  if (hlc_status status = hlc_grid_create(context, 1, &global, nullptr, &periodic, &grid)) return status;
  hlc_field field{};
  field.data = data;
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = 2;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = mode;
  hlc_halo *halo = nullptr;
  hlc_status status = hlc_halo_init(context, &spec, &halo);
  if (status == HLC_OK) status = hlc_halo_start(halo, nullptr);
  if (status == HLC_OK) status = hlc_halo_finish(halo);
  if (status == HLC_OK) status = hlc_halo_finalise(&halo);
  return status;
}

hlc_status swap_in_modes(hlc_context *context, bool own) {
  std::vector<double> memory(12);
  void *field = nullptr;
  hlc_status status = hlc_field_alloc(context, 12 * sizeof(double), &field);
  for (int mode = own ? HLC_MODE_DIRECT : HLC_MODE_P2P; mode < (own ? HLC_MODE_DIRECT + 1 : HLC_MODE_COUNT_); ++mode)
    for (int halo = 0; halo < 2 && status == HLC_OK; ++halo)
      status = swap_once(context, static_cast<hlc_mode>(mode), own ? memory.data() : field);
  return status == HLC_OK ? hlc_field_free(context, &field) : status;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context = nullptr;
  hlc_status status = hlc_init(MPI_COMM_WORLD, &context);
  if (status == HLC_OK) status = swap_in_modes(context, argc > 1 && std::strcmp(argv[1], "own") == 0);
  if (status == HLC_OK) status = hlc_finalise(&context);
  if (status != HLC_OK) std::printf("%s\n", hlc_error_message());
  MPI_Finalize();
  return status == HLC_OK ? 0 : 1;
}
