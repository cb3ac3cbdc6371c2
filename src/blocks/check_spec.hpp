// What one rank can check of a spec of blocks alone, and a block as the functions of the halo's geometry take it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/geometry.hpp"

namespace halocline {

/// A message names the argument, the rank and the value.
Status check_blocks_spec(const hlc_blocks_spec *spec, int rank);

/// One block of a spec as the spec of a halo: what its strides and extents are.
struct BlockShape {
  BlockShape(const hlc_blocks_spec &blocks, int block);
  BlockShape(const BlockShape &) = delete;
  BlockShape &operator=(const BlockShape &) = delete;

  hlc_grid grid{};
  hlc_halo_spec spec{};
};

}  // namespace halocline
