// Visiting the single cells of a box: slow, for check mode.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "halo/copy.hpp"

namespace halocline::core {

/// Calls visit(cell, address) for each cell of a box of the array at `array`, in the order of packing. order lists the dimensions,
/// innermost first. Ends early, and returns false, when visit returns false.
template <class Visit>
bool for_each_cell(const Box &box, const Strides &strides, const std::array<int, kMaxDims> &order, char *array, Visit visit) {
  const auto at = [&](int place) { return static_cast<std::size_t>(order[static_cast<std::size_t>(place)]); };
  const std::size_t a = at(0), b = at(1), c = at(2), d = at(3);
  Cells cell = box.start;
  for (cell[d] = box.start[d]; cell[d] < box.start[d] + box.count[d]; ++cell[d])
    for (cell[c] = box.start[c]; cell[c] < box.start[c] + box.count[c]; ++cell[c])
      for (cell[b] = box.start[b]; cell[b] < box.start[b] + box.count[b]; ++cell[b]) {
        char *address = array + cell[d] * strides[d] + cell[c] * strides[c] + cell[b] * strides[b] + box.start[a] * strides[a];
        for (cell[a] = box.start[a]; cell[a] < box.start[a] + box.count[a]; ++cell[a], address += strides[a])
          if (!visit(cell, address)) return false;
      }
  return true;
}

}  // namespace halocline::core
