// The mass matrix of the implicit field solver: 3 x 3 blocks between nodes of one cell. Each pair is stored once, at its lower node: 14
// blocks of 27.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block.hpp"

namespace pic {

/// Pairs of a cell with itself and with the 13 cells above it, in the order of (x, y, z).
inline constexpr int kPairs = 14;

/// Of corners a <= b of a cell, as 4 x + 2 y + z: the number of the pair, which is stored at a.
constexpr int pair_of(int a, int b) { return ((b >> 2) - (a >> 2)) * 9 + (((b >> 1) & 1) - ((a >> 1) & 1)) * 3 + ((b & 1) - (a & 1)); }

/// The cell so many cells further on in an array.
inline std::size_t moved(std::size_t cell, std::ptrdiff_t by) { return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + by); }

/// Cells between the lower and the upper one of each pair.
struct PairOffsets {
  explicit PairOffsets(const Block &block) {
    for (int pair = 0; pair < kPairs; ++pair) {
      const int all = pair + 13;
      cells[pair] = (all / 9 - 1) * block.stride(0) + (all / 3 % 3 - 1) * block.stride(1) + (all % 3 - 1) * block.stride(2);
    }
  }
  std::ptrdiff_t cells[kPairs];
};

}  // namespace pic
