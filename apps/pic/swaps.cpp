// SPDX-License-Identifier: BSD-3-Clause
#include "swaps.hpp"

namespace pic {

Swaps::Swaps(const Setup &setup, const Moved &moved, Sides sides, Way way, Site site, const char *name)
    : clock_(setup.clock), way_(way), site_(site), halo_(plan(setup, moved, sides, way, name)) {}

/// The numbers of a cell are a fourth dimension, which is not split and has no halo: so a cell is moved as a whole.
halocline::Halo Swaps::plan(const Setup &setup, const Moved &moved, Sides sides, Way way, const char *name) {
  const Block &block = setup.block;
  const hlc_grid &grid = block.grid().raw();
  const std::int64_t global[4] = {grid.global[0], grid.global[1], grid.global[2], moved.count};
  const int dims[4] = {grid.dims[0], grid.dims[1], grid.dims[2], 1};
  const int periodic[4] = {1, 1, 1, 0};
  hlc_grid with_numbers{};
  halocline::check(hlc_grid_create(setup.context.raw(), 4, global, dims, periodic, &with_numbers));
  hlc_field field{};
  hlc_halo_spec spec{};
  double *first = moved.array.at(block.cell(0, 0, 0)) + moved.first;
  for (int d = 0; d < 3; ++d) {
    spec.depth_low[d] = sides == Sides::high ? 0 : block.halo(d);
    spec.depth_high[d] = sides == Sides::not_high_x && d == 0 ? 0 : block.halo(d);
    const std::ptrdiff_t stride = block.place_stride(d) * moved.array.width();
    field.stride_bytes[d] = stride * static_cast<std::int64_t>(sizeof(double));
    first -= spec.depth_low[d] * stride;
  }
  field.data = first;
  field.stride_bytes[3] = sizeof(double);
  field.type = HLC_FLOAT64;
  field.name = name;
  spec.grid = &with_numbers;
  spec.stencil = sides == Sides::faces ? HLC_STENCIL_STAR : HLC_STENCIL_BOX;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = static_cast<hlc_mode>(way == Way::forward ? setup.mode : setup.reverse_mode);
  spec.name = name;
  return halocline::Halo(setup.context, spec);
}

void Swaps::start() {
  const Timed timed(clock_, site_);
  hlc_swap what{};
  what.reverse = way_ == Way::reverse ? 1 : 0;
  halo_.start(what);
}

void Swaps::finish() {
  const Timed timed(clock_, site_);
  halo_.finish();
}

void Swaps::swap() {
  start();
  finish();
}

}  // namespace pic
