// What a halo in mode view shows: for each direction and field, where the cells around the block lie since the last swap.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "halo/geometry.hpp"

namespace halocline {

/// Cells of one direction and field where they lie; data NULL: the last swap did not move them.
struct Shown {
  const char *data = nullptr;
  Strides strides{};
};

/// The tables that only mode view needs.
struct Views {
  std::vector<Shown> shown;           // per path and field, of the last swap
  std::vector<Strides> peer_strides;  // per path and field: of the neighbour's array, where it is read directly
};

/// The block and the depths around it, for those who ask where the halo of a direction lies in the array.
struct Extents {
  Cells block{1, 1, 1, 1}, low{}, high{};

  static Extents of(const hlc_halo_spec &spec) {
    Extents made;
    for (std::size_t d = 0; d < static_cast<std::size_t>(spec.grid->ndims); ++d) {
      made.block[d] = spec.grid->local[d];
      made.low[d] = spec.depth_low[d];
      made.high[d] = spec.depth_high[d];
    }
    return made;
  }

  /// The cells of my array in a direction, the number of which is as direction_index counts: the halo, in the middle the block.
  Box box(int number) const {
    Box box;
    for (std::size_t d = 0; d < block.size(); ++d, number /= 3) {
      const int v = number % 3;
      box.start[d] = v == 0 ? 0 : low[d] + (v == 2 ? block[d] : 0);
      box.count[d] = v == 0 ? low[d] : v == 1 ? block[d] : high[d];
    }
    return box;
  }
};

}  // namespace halocline
