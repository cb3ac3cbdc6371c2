// SPDX-License-Identifier: BSD-3-Clause
#include "geometry.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace lattice {

Site Block::global_of(const Site &local_site) const {
  Site site{};
  for (int d = 0; d < kDims; ++d) site[d] = (start[d] + local_site[d] + global[d]) % global[d];
  return site;
}

static Block block_of(const halocline::Grid &cells) {
  Block block;
  for (int d = 0; d < kDims; ++d) {
    block.global[d] = 2 * cells.global(d);
    block.start[d] = 2 * cells.start(d);
    block.local[d] = 2 * cells.local(d);
  }
  return block;
}

/// The same message on all ranks: the least block of all counts.
static void refuse_thin_blocks(const halocline::Grid &cells, int depth) {
  for (int d = 0; d < kDims; ++d) {
    const std::int64_t least = 2 * (cells.global(d) / cells.ranks(d));
    if (cells.ranks(d) > 1 && least < depth)
      throw halocline::Error(HLC_ERR_ARGUMENT, "along " + std::string(1, "xyzt"[d]) + " a rank has " + std::to_string(least) +
                                                   " sites, fewer than the ghosts are deep: " + std::to_string(depth));
  }
}

/// The same message on all ranks. Sites are numbered with 32 bits in a rank's part of one parity, with 64 in the whole lattice.
static void refuse_large_blocks(const halocline::Grid &cells) {
  constexpr double most = 0x1p32, most_of_all = 0x1p62;
  double largest = 1, all = 1;
  for (int d = 0; d < kDims; ++d) {
    largest *= 2 * std::ceil(static_cast<double>(cells.global(d)) / cells.ranks(d));
    all *= 2 * static_cast<double>(cells.global(d));
  }
  if (largest > most || all > most_of_all) throw halocline::Error(HLC_ERR_ARGUMENT, "a rank has more than 2^32 sites, or the lattice 2^62");
}

Geometry::Geometry(const halocline::Grid &cells, int depth) : block_(block_of(cells)), depth_(depth), entries_(0) {
  refuse_thin_blocks(cells, depth);
  refuse_large_blocks(cells);
  for (int d = 0; d < kDims; ++d) ranks_[d] = cells.ranks(d);
  for_sites({}, block_.local, [&](const Site &site) { sites_[parity_of(site)].push_back(site); });
  entries_ = half();
  for (int number = 0; number < kSides; ++number)
    if (is_split(number / 2)) add_side(cells, number);
  if (entries_ > std::numeric_limits<std::int32_t>::max()) throw halocline::Error(HLC_ERR_ARGUMENT, "a rank has more than 2^32 sites");
}

/// Ghosts are numbered in the order of sites in the box, each parity by itself: the owner's list has the same order.
void Geometry::add_side(const halocline::Grid &cells, int number) {
  const int dim = number / 2;
  const bool high = number % 2 == 1;
  std::array<int, HLC_MAX_DIMS> coords{};
  for (int d = 0; d < kDims; ++d) coords[d] = cells.coord(d) + (d == dim ? (high ? 1 : -1) : 0);
  Side side{number, cells.rank_at(coords), {}, entries_, 0, {}, block_.local, {}};
  side.extents[dim] = depth_;
  side.start[dim] = high ? block_.local[dim] : -depth_;
  std::array<std::int32_t, 2> counts{};
  for_sites(side.start, side.extents, [&](const Site &site) { side.ghosts.push_back(counts[parity_of(site)]++); });
  side.count = counts[0];
  Site out_start{};
  out_start[dim] = high ? block_.local[dim] - depth_ : 0;
  for_sites(out_start, side.extents, [&](const Site &site) { side.out[parity_of(site)].push_back(index(site)); });
  entries_ += side.count;
  sides_.push_back(std::move(side));
}

Place Geometry::place(Site site) const {
  for (int d = 0; d < kDims; ++d)
    if (!is_split(d)) site[d] = (site[d] + block_.local[d] * depth_) % block_.local[d];
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Side &side = sides_[i];
    Site in_box{};
    bool inside = true;
    for (int d = 0; d < kDims; ++d) {
      in_box[d] = site[d] - side.start[d];
      inside = inside && in_box[d] >= 0 && in_box[d] < side.extents[d];
    }
    if (inside) return {static_cast<std::int32_t>(i + 1), side.ghosts[number_of(in_box, side.extents)]};
  }
  return {0, index(site)};
}

}  // namespace lattice
