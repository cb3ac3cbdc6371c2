// Which cells are exchanged: the directions of a stencil, and for each the box of halo cells and the box of edge cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/types.hpp"
#include "halo/copy.hpp"

namespace halocline::core {

/// One direction of the stencil in which there is a neighbour.
///
///   dimension d, depth low 2 and high 1:   | halo v=-1 | edge v=-1 ...  interior  ... edge v=+1 | halo v=+1 |
///   the edge towards v is what the neighbour's halo towards -v needs, so it is as deep as that halo
struct Direction {
  std::array<int, kMaxDims> v{};
  int rank = 0;
  Box halo;      // of my array: what the neighbour fills
  Box edge;      // of my array: what the neighbour needs
};

/// The index sum((v_d + 1) * 3^d) of a direction.
int direction_index(const std::array<int, kMaxDims> &v, int ndims);
/// The opposite direction.
std::array<int, kMaxDims> opposite(std::array<int, kMaxDims> v);

/// Lists the directions with a neighbour and at least one cell to fill or to send, without those that are wrapped. The spec has been
/// checked by check_spec.
std::vector<Direction> list_directions(const hlc_halo_spec &spec);

/// Halo cells that repeat cells of my own array. They exist where the halo is deeper than the block along a dimension in which I am my own
/// neighbour. One piece: both sides are a box.
struct Wrap {
  std::array<int, kMaxDims> v{};
  std::array<int, kMaxDims> base{};  // v without the wrapped dimensions: 0 is my block, else the direction whose halo is repeated
  int rank = 0;  // of the owner of the cells
  Box halo, source;  // of my array
};

/// False if every field has depths of its own, so that the spec's mean nothing.
bool uses_spec_depths(const hlc_halo_spec &spec);
/// True if the halo along d is deeper than the block on one of its sides.
bool is_wrapped(const hlc_halo_spec &spec, int d);
/// The first dimension for which that is so, -1 if there is none.
int find_wrapped(const hlc_halo_spec &spec);
/// A direction without its wrapped dimensions.
std::array<int, kMaxDims> base_of(const hlc_halo_spec &spec, std::array<int, kMaxDims> v);
/// Lists all pieces of all wrapped directions.
std::vector<Wrap> list_wraps(const hlc_halo_spec &spec);
/// Calls visit(v) for each direction of the stencil.
template <class Visit>
void for_each_direction(const hlc_halo_spec &spec, Visit visit) {
  const int ndims = spec.grid->ndims;
  for (int number = 0; number < HLC_DIRECTIONS(ndims); ++number) {
    std::array<int, kMaxDims> v{};
    int crossed = 0;
    for (int d = 0, rest = number; d < ndims; ++d, rest /= 3) crossed += (v[static_cast<std::size_t>(d)] = rest % 3 - 1) != 0;
    if (crossed == 1 || (crossed > 1 && spec.stencil == HLC_STENCIL_BOX)) visit(v);
  }
}
/// True if the spec has the halo of a field filled in a direction.
bool fills(const hlc_halo_spec &spec, std::size_t field, const std::array<int, kMaxDims> &v);

/// The rank in a direction, HLC_NO_NEIGHBOUR beyond an open side.
int neighbour_rank(const hlc_halo_spec &spec, const std::array<int, kMaxDims> &v);

/// Writes the entries of a spec's fills for a component that moves.
Status list_fills(int ndims, const int *velocity, unsigned char *fills);

/// Where values are, as the C API spells it.
inline const char *stagger_word(std::int64_t value) {
  return value == HLC_NODES_SHARED ? "HLC_NODES_SHARED" : value == HLC_NODES_OWNED ? "HLC_NODES_OWNED" : "HLC_CENTRED";
}

/// Checks everything in a spec that one rank can check alone; the message names the argument, the rank and the value.
Status check_spec(const hlc_halo_spec *spec, int rank, int size);

/// True for a field whose strides need a layout that is not set.
bool lacks_layout(hlc_layout layout, int ndims, const hlc_field &field);

/// Bytes of an element; 0 for an invalid type.
std::int64_t element_bytes(const hlc_field &field);

/// More cells than any halo has.
inline constexpr std::int64_t kWholeDepth = INT64_MAX / 4;

/// The cells of one field along each dimension. A field on nodes (staggered) has one more than the grid has cells. A node between two blocks
/// is in both (shared). Or it is in the block above, and the first of the high halo of the block below (owned).
struct Extents {
  Cells block{1, 1, 1, 1}, low{}, high{};  // of my array
  Cells low_above{}, high_below{};  // the halos of my neighbours that I fill: the low one of the rank above, the high one of the rank below
  Cells shared{}, owned{};

  /// Those of a field in the cells, with the spec's depths.
  static Extents of(const hlc_halo_spec &spec);
  /// Those of a field of the spec.
  static Extents of(const hlc_halo_spec &spec, int field);

  /// Cells of the array along d: the block and its two halos.
  std::int64_t cells(int d) const {
    const auto at = static_cast<std::size_t>(d);
    return low[at] + block[at] + high[at];
  }
  /// The cells of my array in a direction, the number of which is as direction_index counts: the halo, in the middle the block.
  Box box(int number) const;
  /// The halo in direction v: what the neighbour fills; and the edge, what the neighbour needs. At most so many cells per side.
  Box halo(const std::array<int, kMaxDims> &v, std::int64_t most = kWholeDepth) const;
  Box edge(const std::array<int, kMaxDims> &v, std::int64_t most = kWholeDepth) const;
  /// The deepest halo, without owned nodes.
  std::int64_t deepest() const;
};
/// The most halo cells that a field of the spec has on one side, without owned nodes.
std::int64_t deepest_halo(const hlc_halo_spec &spec);

/// A field's strides, the default ones filled in; unused dimensions have stride 0.
Strides field_strides(const hlc_halo_spec &spec, const hlc_field &field, const Extents &extents);
inline Strides field_strides(const hlc_halo_spec &spec, const hlc_field &field) { return field_strides(spec, field, Extents::of(spec)); }
/// The dimensions of a field, the one with the smallest stride first; unused ones last.
std::array<int, kMaxDims> stride_order(const Strides &strides, int ndims);

/// What one rank knows of the order of dimensions in memory: inside[a][b] is 1 if a runs faster than b. Nothing where either has one cell.
struct Nesting {
  int inside[kMaxDims][kMaxDims];
};
Nesting find_nesting(const Extents &extents, int ndims, const Strides &strides);
/// Orders the dimensions as all ranks' knowledge says, innermost first; where no rank knows, as in the layout. False if the ranks
/// contradict each other.
/// HLC_LAYOUT_UNSET counts as column-major.
bool order_dims(const Nesting &nesting, int ndims, hlc_layout layout, std::array<int, kMaxDims> &order);
/// Bytes from a field's first byte to behind its last.
std::int64_t field_extent(const hlc_halo_spec &spec, const hlc_field &field, const Extents &extents);
inline std::int64_t field_extent(const hlc_halo_spec &spec, const hlc_field &field) { return field_extent(spec, field, Extents::of(spec)); }

/// Where a box starts, in bytes from the array's first cell.
std::int64_t box_offset(const Box &box, const Strides &strides);

}  // namespace halocline::core
