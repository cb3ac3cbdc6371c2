// The geometry of one rank's block with its halo: x, y, z with z contiguous, every rank of the same size. It says which cells form the
// edge and the halo in each direction, and nothing about how they move. All contenders stand on it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// x, y, z: a place in the array, or a direction with members -1, 0 and 1.
using Index = std::array<std::int64_t, 3>;

/// A box of cells in the array of a block, halo included.
struct Region {
  Index first, count;
  std::int64_t cells() const { return count[0] * count[1] * count[2]; }
};

/// One rank's block: an array of cells + 2 * depth elements along each dimension.
struct Block {
  Index cells, depth;
  std::size_t element_bytes;

  std::int64_t extent(int d) const { return cells[d] + 2 * depth[d]; }
  std::size_t array_bytes() const { return static_cast<std::size_t>(extent(0) * extent(1) * extent(2)) * element_bytes; }
  std::size_t offset(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>((x * extent(1) + y) * extent(2) + z) * element_bytes;
  }
  /// The interior, without halo.
  Region interior() const { return {depth, cells}; }
  /// The interior cells that the neighbour in direction v needs.
  Region edge(const Index &v) const;
  /// The halo cells that the neighbour in direction v fills.
  Region halo(const Index &v) const;
};

/// The directions in which a block has neighbours: all of the box, or only the faces of the star; none along a dimension without depth.
std::vector<Index> directions(const Block &block, bool box);

/// The direction from the neighbour back to me.
inline Index opposite(const Index &v) { return {-v[0], -v[1], -v[2]}; }

/// A halo that a rank fills from its own edge.
struct SelfCopy {
  Region from, to;
};

/// Calls run(x, y) for every column of a region, in the order of memory.
template <class Run>
void for_each_column(const Region &region, Run &&run) {
  for (std::int64_t x = region.first[0]; x < region.first[0] + region.count[0]; ++x)
    for (std::int64_t y = region.first[1]; y < region.first[1] + region.count[1]; ++y) run(x, y);
}

/// Fills the halos that face the rank itself, in all fields.
void copy_self(const Block &block, const std::vector<SelfCopy> &copies, const std::vector<char *> &fields);

}  // namespace bench
