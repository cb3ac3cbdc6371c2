// The boxes of all ranks, used while blocks are planned, and the overlaps between the halo of one and another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/blocks.h>

#include <span>
#include <vector>

#include "engine/communicator/communicator.hpp"
#include "engine/memory/rank_table.hpp"
#include "halo/copy.hpp"

namespace halocline::core {

/// A block in the table that all ranks share.
struct Placed {
  Box box;  // of the domain
  std::int64_t id = 0;
};

/// The domain, and the halos that blocks have in a field.
struct Domain {
  int ndims = 1;
  Cells extent{1, 1, 1, 1}, low{}, high{};
  Cells shared{}, owned{};  // 1 along a dimension in which the field is on nodes of this kind
  std::array<bool, kMaxDims> periodic{};
  bool star = false;

  /// That of a field with its own depths.
  static Domain of(const hlc_blocks_spec &spec, const hlc_field_shape &shape);

  /// The values that a block owns: its cells, or the nodes below them. Of owned nodes the last one of an open dimension, too.
  Box own(const Box &cells) const;
  /// The halo above them. The first owned node there is that of the block above.
  Cells above(const Box &cells) const;
};

/// The boxes of all ranks, stored once per node.
class BoxTable {
 public:
  /// Collective over the communicator; the same status on all ranks.
  Status share(Communicator &communicator, NodeLeaders &leaders, const std::vector<Placed> &mine);
  std::span<const Placed> of(int rank) const;

 private:
  std::int64_t record_ = 0;  // bytes of a rank's record: its number of blocks, and space for the most blocks of any rank
  RankRecords records_;
};

/// Values that a block needs from another.
struct Overlap {
  int to = 0, from = 0;  // indices in the lists of their ranks
  Box halo;              // in the array of `to`
  Box edge;              // in the array of `from`
};

/// Finds the blocks of a rank that are near a region of the domain, without a look at all of them: the domain is split into bins, as many
/// as there are blocks, and each bin lists the blocks that touch it.
class BoxIndex {
 public:
  /// The blocks must stay where they are. Of the domain only its extent counts.
  BoxIndex(const Domain &domain, std::span<const Placed> boxes);

  std::span<const Placed> boxes() const { return boxes_; }
  /// Blocks, ascending, among them all that the region overlaps, or one of its periodic images. Valid until the next call.
  const std::vector<int> &near(const Box &region) const;

 private:
  /// The bins of a stretch of cells along a dimension: `count` of them from `first` on, beyond the last one again from bin 0.
  struct Bins {
    std::int64_t first, count;
  };

  void choose_bins();
  Bins bins_of(std::size_t d, std::int64_t start, std::int64_t count) const;
  std::int64_t entries() const;
  /// Calls visit(bin) for the bins of a region.
  template <class Visit>
  void for_each_bin(const Box &region, Visit visit) const;

  Cells extent_{}, bins_{1, 1, 1, 1}, width_{};
  std::array<bool, kMaxDims> periodic_{};
  std::span<const Placed> boxes_;
  std::vector<std::vector<int>> listed_;  // per bin; none if there are too few blocks for bins
  mutable std::vector<int> found_;
  mutable std::vector<std::uint32_t> seen_;  // per block: the last look that found it
  mutable std::uint32_t look_ = 0;
};

/// Lists what the blocks of one rank need from those of another, or from each other, where both are the same; in the same order on both
/// ranks.
std::vector<Overlap> list_overlaps(const Domain &domain, std::span<const Placed> to, const BoxIndex &from);

/// Fails if one of this rank's blocks, which are indexed, shares a cell with another; the message names both with their owners.
Status check_disjoint(const Topology &topology, int ndims, const BoxTable &table, const BoxIndex &mine);

}  // namespace halocline::core
