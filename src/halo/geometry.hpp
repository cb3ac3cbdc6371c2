// Which cells go where: the directions of a stencil, and for each the box of halo cells and the box of edge cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/types.hpp"
#include "halo/copy.hpp"

namespace halocline {

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
/// The direction that looks the other way.
std::array<int, kMaxDims> opposite(std::array<int, kMaxDims> v);

/// Lists the directions with a neighbour and at least one cell to fill or to give. The spec has been checked by check_spec.
std::vector<Direction> list_directions(const hlc_halo_spec &spec);

/// The rank in a direction, HLC_NO_NEIGHBOUR beyond an open side.
int neighbour_rank(const hlc_halo_spec &spec, const std::array<int, kMaxDims> &v);

/// Checks everything in a spec that one rank can check alone; the message names the argument, the rank and the value.
Status check_spec(const hlc_halo_spec *spec, int rank, int size);

/// Bytes of an element; 0 for a type that is none.
std::int64_t element_bytes(const hlc_field &field);
/// Cells of the array along d: the block and its two halos.
std::int64_t array_cells(const hlc_halo_spec &spec, int d);
/// A field's strides, the default ones filled in; unused dimensions have stride 0.
Strides field_strides(const hlc_halo_spec &spec, const hlc_field &field);
/// The dimensions of a field, the one with the smallest stride first; unused ones last.
std::array<int, kMaxDims> stride_order(const Strides &strides, int ndims);

/// What one rank knows of the order of dimensions in memory: inside[a][b] is 1 if a runs faster than b. Nothing where either has one cell.
struct Nesting {
  int inside[kMaxDims][kMaxDims];
};
Nesting find_nesting(const hlc_halo_spec &spec, const Strides &strides);
/// Puts the dimensions in the order that all ranks' knowledge gives, innermost first, as the layout has them where nobody knows.
/// False if the ranks contradict each other.
bool order_dims(const Nesting &nesting, int ndims, hlc_layout layout, std::array<int, kMaxDims> &order);
/// Bytes from a field's first byte to behind its last.
std::int64_t field_extent(const hlc_halo_spec &spec, const hlc_field &field);

/// Where a box starts, in bytes from the array's first cell.
std::int64_t box_offset(const Box &box, const Strides &strides);

}  // namespace halocline
