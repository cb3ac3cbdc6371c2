// The sites of a rank, by parity, and those around them that belong to other ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace lattice {

inline constexpr int kDims = 4;
/// Sides of a block: 2 d is the low one of dimension d, 2 d + 1 the high one.
inline constexpr int kSides = 2 * kDims;
inline constexpr int opposite(int side) { return side ^ 1; }

/// Coordinates x, y, z, t, or extents.
using Site = std::array<std::int64_t, kDims>;

inline std::int64_t volume(const Site &extents) { return extents[0] * extents[1] * extents[2] * extents[3]; }
/// The number of a site in a box, x fastest.
inline std::int64_t number_of(const Site &site, const Site &extents) {
  return ((site[3] * extents[2] + site[2]) * extents[1] + site[1]) * extents[0] + site[0];
}
/// 0: even, 1: odd.
inline int parity_of(const Site &site) { return static_cast<int>((site[0] + site[1] + site[2] + site[3]) & 1); }

/// Calls f(site) for the sites of a box, x fastest.
template <class F>
void for_sites(const Site &start, const Site &extents, F f) {
  Site s{};
  for (s[3] = start[3]; s[3] < start[3] + extents[3]; ++s[3])
    for (s[2] = start[2]; s[2] < start[2] + extents[2]; ++s[2])
      for (s[1] = start[1]; s[1] < start[1] + extents[1]; ++s[1])
        for (s[0] = start[0]; s[0] < start[0] + extents[0]; ++s[0]) f(static_cast<const Site &>(s));
}

/// A rank's part of the whole lattice. Starts and extents are even, so a site's parity is the same in both.
struct Block {
  Site global{}, start{}, local{};

  Site global_of(const Site &local_site) const;
  /// The number in the whole lattice of a site of this block, or one around it.
  std::int64_t global_number(const Site &local_site) const { return number_of(global_of(local_site), global); }
};

/// Location of the value of a site: source 0 is the rank's own array, source 1 + i the ghosts of sides()[i].
struct Place {
  std::int32_t source, entry;
};

/// A side beyond which another rank, or this one, has the sites. Dimensions that are not split have none.
struct Side {
  int number, rank;
  std::array<std::vector<std::int64_t>, 2> out;  ///< by parity: sites that the other side needs, in the order of its ghosts
  std::int64_t first, count;                     ///< ghosts of each parity; the first one's entry in an array that holds them
  Site start, extents;                           ///< the box of ghosts
  std::vector<std::int32_t> ghosts;              ///< for each site of the box: which ghost of its parity it is
};

class Geometry {
 public:
  /// cells: a grid over ranks whose cells are 2^4 sites. depth: of ghosts. Throws if blocks are smaller than that.
  Geometry(const halocline::Grid &cells, int depth);

  const Block &block() const { return block_; }
  int depth() const { return depth_; }
  /// Sites of each parity.
  std::int64_t half() const { return static_cast<std::int64_t>(sites_[0].size()); }
  /// Entries of an array of one parity: the sites, and behind them the ghosts of all sides.
  std::int64_t entries() const { return entries_; }
  /// The coordinates in the block of a site.
  const Site &site(int parity, std::int64_t index) const { return sites_[parity][index]; }
  const std::vector<Side> &sides() const { return sides_; }
  /// The site in the block, or up to `depth` beyond one side; where the dimension is not split, the one at the other end.
  Place place(Site site) const;

 private:
  bool is_split(int dim) const { return ranks_[dim] > 1; }
  void add_side(const halocline::Grid &cells, int number);
  std::int32_t index(const Site &site) const { return static_cast<std::int32_t>(number_of(site, block_.local) / 2); }

  Block block_;
  int depth_;
  std::array<int, kDims> ranks_;
  std::array<std::vector<Site>, 2> sites_;
  std::vector<Side> sides_;
  std::int64_t entries_;
};

}  // namespace lattice
