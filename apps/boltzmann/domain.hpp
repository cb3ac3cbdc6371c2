// The rank's block of the lattice: which sides face other ranks, walls, or the block itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "d3q19.hpp"
#include "options.hpp"

#include <halocline/halocline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace boltzmann {

/// A block and the halo of its arrays. There is a halo only along split dimensions. Along others a block borders on itself, and its sites
/// are read on the other side.
class Domain {
 public:
  Domain(const halocline::Context &context, const Options &options);

  const halocline::Grid &cells() const { return cells_; }
  std::int64_t n(int d) const { return n_[d]; }
  std::int64_t start(int d) const { return start_[d]; }
  std::int64_t global(int d) const { return global_[d]; }
  bool split(int d) const { return split_[d]; }
  bool wall(int d) const { return wall_[d]; }
  /// Halo sites on each side.
  std::int64_t depth(int d) const { return depth_[d]; }
  /// Along a dimension without walls the block borders on itself.
  bool wraps(int d) const { return !split_[d] && !wall_[d]; }
  /// Whether the block ends in a wall there. side: -1 or 1.
  bool ends_in_wall(int d, int side) const { return ends_[d][side > 0]; }
  /// Sites of an array, halo included.
  std::int64_t extent(int d) const { return n_[d] + 2 * depth_[d]; }
  std::size_t volume() const { return static_cast<std::size_t>(extent(0) * extent(1) * extent(2)); }
  /// The distance of a site in an array from its first one. Sites count from 0 in the block.
  std::int64_t offset(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return ((x + depth_[0]) * extent(1) + y + depth_[1]) * extent(2) + z + depth_[2];
  }
  std::int64_t sites() const { return n_[0] * n_[1] * n_[2]; }
  std::int64_t global_sites() const { return global_[0] * global_[1] * global_[2]; }
  /// The number of a site in the whole lattice.
  std::int64_t number(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return ((x + start_[0]) * global_[1] + y + start_[1]) * global_[2] + z + start_[2];
  }
  /// Whether another rank reads sites of this row, or this row is computed from sites of another rank.
  bool is_outer(std::int64_t x, std::int64_t y) const {
    return split_[2] || (split_[0] && (x == 0 || x == n_[0] - 1)) || (split_[1] && (y == 0 || y == n_[1] - 1));
  }
  /// The same block, which borders on itself wherever there is no wall: a domain of its own.
  Domain alone() const;

 private:
  halocline::Grid cells_;
  std::array<std::int64_t, kDims> n_{}, start_{}, global_{}, depth_{};
  std::array<bool, kDims> split_{}, wall_{};
  std::array<std::array<bool, 2>, kDims> ends_{};
};

/// Calls body(x, y) for the rows of a block, x slowest: first those that no other rank is concerned with, or the others alone.
template <class Body>
void for_rows(const Domain &domain, bool outer, Body body) {
  for (std::int64_t x = 0; x < domain.n(0); ++x)
    for (std::int64_t y = 0; y < domain.n(1); ++y)
      if (domain.is_outer(x, y) == outer) body(x, y);
}

}  // namespace boltzmann
