// The checks of a spec of blocks that one rank can do alone, and a block in the form that the halo's geometry functions take.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/geometry.hpp"

namespace halocline::core {

/// Checks a spec. The error message names the argument, the rank and the value.
Status check_blocks_spec(const hlc_blocks_spec *spec, int rank);

/// How a field differs from cells with a depth of 0: its nodes and its depths, which may be the spec's.
hlc_field_shape field_shape(const hlc_blocks_spec &spec, int field);

/// One block of a spec as the spec of a halo, for its strides and extents.
struct BlockShape {
  BlockShape(const hlc_blocks_spec &blocks, int block);
  BlockShape(const BlockShape &) = delete;
  BlockShape &operator=(const BlockShape &) = delete;

  hlc_grid grid{};
  hlc_halo_spec spec{};
};

}  // namespace halocline::core
