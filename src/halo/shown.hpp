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

}  // namespace halocline
