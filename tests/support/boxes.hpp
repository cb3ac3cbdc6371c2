// Cases and the serial oracle of swaps of any set of boxes: memory of any rank before a swap, and what it must hold afterwards. The oracle
// asks for each cell every box whether it owns the cell. A value on nodes is asked for by the cell that it goes with. Slow, obvious, and
// independent of the library.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/cases.hpp"

namespace halocline::test {

/// A box of cells and its owner.
struct OwnedBox {
  int rank = 0;
  Index start{}, count{1, 1, 1, 1};
  int part = 0;
};

struct BoxCase {
  std::string name;
  int ndims = 1;
  Index global{1, 1, 1, 1}, low{}, high{};
  std::array<int, HLC_MAX_DIMS> periodic{};
  hlc_stencil stencil = HLC_STENCIL_BOX;
  hlc_layout layout = HLC_COLUMN_MAJOR;
  std::vector<OwnedBox> boxes;  ///< of all ranks
  std::vector<Kind> kinds;  ///< of the fields
  std::vector<hlc_field_shape> shapes;  ///< of the fields; empty: all are in the cells
  std::uint64_t strided = 0;  ///< 0: contiguous arrays whose strides the library finds; else a seed for strides with gaps

  int nfields() const { return static_cast<int>(kinds.size()); }
  /// The shape of a field, with its depths.
  hlc_field_shape shape(int field) const;
  /// Values of a field's array of a box along dimension d.
  std::int64_t values(std::size_t box, int field, int d) const;
  /// The boxes of a rank, as indices.
  std::vector<std::size_t> of(int rank) const;
};

/// Where one field of one box is in the memory of its rank.
struct BoxArray {
  std::size_t box = 0;
  int field = 0;
  std::int64_t offset = 0;
  Index stride{};
  std::int64_t bytes = 0;
};

/// All arrays of a rank: box by box, field by field, with gaps between them.
std::vector<BoxArray> arrays_of(const BoxCase &boxes, int rank);

/// Bytes of a rank's memory.
std::size_t memory_of(const BoxCase &boxes, int rank);

/// Memory of a rank before a swap: its own cells written by it, all else poison. Reverse: every cell holds a small number of its own.
Arena boxes_before(const BoxCase &boxes, int rank, int step, bool reverse);
/// The same after a swap of some fields; empty: of all; and of so many halo cells per side; 0: of all.
Arena boxes_after(const BoxCase &boxes, int rank, int step, bool reverse, const std::vector<int> &fields, std::int64_t depth = 0);
/// Where two memories of a rank first differ, in words; "" if nowhere.
std::string boxes_difference(const BoxCase &boxes, int rank, const Arena &expected, const Arena &found);

/// The spec of a rank, with what it points to.
struct BoxSpec {
  BoxSpec(const BoxCase &boxes, int rank, std::byte *memory);
  BoxSpec(const BoxSpec &) = delete;
  BoxSpec &operator=(const BoxSpec &) = delete;
  /// The shape of a field, which may be changed.
  hlc_field_shape &shape(int field);
  hlc_blocks_spec spec{};
  std::vector<hlc_box> boxes;
  std::vector<hlc_field> fields;
  std::vector<hlc_field_shape> shapes;
};

/// Cuts the domain into boxes at random and assigns them to the ranks; with holes, some have no owner.
void cut_at_random(BoxCase &boxes, int ranks, int pieces, bool holes, Random &random);

/// A case in which everything is chosen at random.
BoxCase random_boxes(int ranks, Random &random);

/// The same with fields in cells and on nodes, some of them with depths of their own.
BoxCase random_staggered_boxes(int ranks, Random &random);

}  // namespace halocline::test
