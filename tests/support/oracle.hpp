// The serial oracle: memory of any rank before a swap, and what it must hold afterwards. A case is a decomposition, depths, a stencil,
// fields and their layouts. The oracle uses global indices, cell by cell. Slow, obvious, and independent of the library.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <halocline/halocline.h>

#include "support/elements.hpp"

namespace halocline::test {

/// Which block of the global grid each rank holds.
struct Decomposition {
  int ndims = 1;
  std::array<int, HLC_MAX_DIMS> dims{1, 1, 1, 1};
  std::array<int, HLC_MAX_DIMS> periodic{};
  std::array<std::vector<std::int64_t>, HLC_MAX_DIMS> cuts;  ///< dims[d] + 1 block boundaries, from 0 to the global cells
  std::vector<int> rank_of_block;                            ///< blocks counted with the last dimension running fastest
  hlc_layout order = HLC_LAYOUT_UNSET;                       ///< as hlc_grid takes it: see number_ranks

  int ranks() const { return static_cast<int>(rank_of_block.size()); }
  std::array<int, HLC_MAX_DIMS> block_of(int rank) const;
  int rank_at(const std::array<int, HLC_MAX_DIMS> &block) const;
  hlc_grid grid_of(int rank) const;
  /// Gives the blocks to the ranks in an order.
  void number_ranks(hlc_layout order);
};

/// Where one field is: in which arena, from which byte on, with which strides.
struct FieldShape {
  hlc_type type = HLC_FLOAT64;
  std::size_t element_bytes = 8;
  int arena = 0;
  std::int64_t offset = 0;
  Index stride{};
  bool default_strides = false;  ///< strides are those of the layout, and the library is to find them itself
};

/// Everything that a swap's result depends on, except the values. `field_shapes` depends on the rank, because blocks differ.
struct Case {
  std::string name;
  Decomposition decomposition;
  Index depth_low{}, depth_high{};
  hlc_stencil stencil = HLC_STENCIL_BOX;
  hlc_layout layout = HLC_COLUMN_MAJOR;
  int nfields = 1;
  std::function<std::vector<FieldShape>(const Case &, int rank)> field_shapes;
  std::function<bool(int from, int to)> cut;  ///< whether an explicit table leaves out this pair of ranks; empty: none
  bool explicit_table = false;
  std::vector<unsigned char> fills;  ///< as hlc_halo_spec takes it; empty: every field in every direction
  bool staged = false;               ///< as hlc_halo_spec takes it; nothing else changes
  std::vector<hlc_field_shape> shapes;  ///< as hlc_halo_spec takes them; empty: every field is in the cells, as deep as the halo

  Index local(int rank) const;
  /// Values of a field's array along a dimension, halo included.
  std::int64_t extent(int rank, int field, int d) const;
};

/// The owner of a halo value.
struct Owner {
  int rank = 0;
  Index global{};  ///< the cell in the global grid, or the node below it; behind the last cell of the owner it is the node above
  Index inner{};   ///< the value counted from the owner's first interior one
};

using Arena = std::vector<std::byte>;
using Image = std::vector<Arena>;  ///< all memory of one rank's fields, padding included

/// The values of one field on one rank: cells, or nodes, which are called cells here, too. A cell is counted from the first interior one.
class Values {
 public:
  /// The case has to outlive it.
  Values(const Case &halo, int rank, int field);

  /// Calls visit(cell) for every cell of the field's array, halo included.
  void for_each(const std::function<void(const Index &)> &visit) const;
  /// Whether a cell is in the halo.
  bool in_halo(const Index &cell) const;
  /// -1, 0 or 1 per dimension: on which side of the interior a cell is.
  Index direction_of(const Index &cell) const;
  /// The owner of a cell; none beyond an open side, and none where the explicit table leaves the pair out.
  std::optional<Owner> owner_of(const Index &cell) const;
  /// Whether a swap fills this cell (if it has an owner).
  bool asked_for(const hlc_swap &what, const Index &cell) const;
  /// The first byte of a cell within its arena; shape is the field's on this rank.
  std::size_t position(const FieldShape &shape, const Index &cell) const;

  /// Interior cells, and cells of the array, along each dimension.
  const Index &block() const { return block_; }
  const Index &extent() const { return extent_; }

 private:
  /// Along one dimension: the block that has a cell, and the cell counted from its first interior one.
  struct Along {
    int block;
    std::int64_t inner;
  };
  std::optional<Along> find_along(int d, std::int64_t index) const;
  std::int64_t steps_away(const Index &cell) const;
  bool is_filled(const Index &direction) const;

  const Case &halo_;
  int rank_, field_;
  std::array<int, HLC_MAX_DIMS> place_{};                ///< of the rank's block
  Index low_{}, block_{}, extent_{};
  std::array<bool, HLC_MAX_DIMS> gets_node_{};           ///< the first value of the high halo is a node that the rank above owns
  std::array<hlc_stagger, HLC_MAX_DIMS> stagger_{};
};

/// Bytes of each arena of a rank.
std::vector<std::size_t> arena_bytes(const Case &halo, int rank);

/// Memory of a rank before the swap of a step: interiors written by the rank, all else poison.
Image before(const Case &halo, int rank, int step);

/// Writes into `image` what a forward swap of that step delivers to a rank.
void deliver(const Case &halo, int rank, int step, const hlc_swap &what, Image &image);

/// Memory of a rank before a reverse swap: every cell, halo included, holds a small whole number of its own.
Image before_reverse(const Case &halo, int rank, int step);

/// Memory of a rank after a reverse swap of memory made by before_reverse on all ranks.
Image after_reverse(const Case &halo, int rank, int step, const hlc_swap &what);

/// In words: where two images of a rank first differ, and what was expected. If it can be recognised, also the writer of what was found.
std::string difference(const Case &halo, int rank, int last_step, const Image &expected, const Image &found);

/// Builds the explicit table of neighbours of a rank, as hlc_halo_spec takes it.
std::vector<int> neighbour_table(const Case &halo, int rank);

}  // namespace halocline::test
