// Directions, boxes and strides.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/geometry.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halo/grid.hpp"

namespace halocline {
namespace {

bool has_neighbours_in(const hlc_halo_spec &spec, const std::array<int, kMaxDims> &v) {
  int crossed = 0;
  for (int d = 0; d < spec.grid->ndims; ++d) crossed += v[static_cast<std::size_t>(d)] != 0;
  return crossed == 1 || (crossed > 1 && spec.stencil == HLC_STENCIL_BOX);
}

Direction make_direction(const hlc_halo_spec &spec, const std::array<int, kMaxDims> &v, int rank) {
  Direction direction;
  direction.v = v;
  direction.rank = rank;
  for (std::size_t d = 0; d < static_cast<std::size_t>(spec.grid->ndims); ++d) {
    const std::int64_t low = spec.depth_low[d], high = spec.depth_high[d], n = spec.grid->local[d];
    direction.halo.start[d] = v[d] < 0 ? 0 : v[d] > 0 ? low + n : low;
    direction.halo.count[d] = v[d] < 0 ? low : v[d] > 0 ? high : n;
    direction.edge.start[d] = v[d] > 0 ? n : low;  // the last `low` cells begin at low + n - low
    direction.edge.count[d] = v[d] < 0 ? high : v[d] > 0 ? low : n;
  }
  return direction;
}

}  // namespace

int neighbour_rank(const hlc_halo_spec &spec, const std::array<int, kMaxDims> &v) {
  const hlc_grid &grid = *spec.grid;
  if (spec.neighbours) return spec.neighbours[direction_index(v, grid.ndims)];
  int coords[kMaxDims] = {};
  for (int d = 0; d < grid.ndims; ++d) coords[d] = grid.coords[d] + v[static_cast<std::size_t>(d)];
  return grid_rank(grid, coords);
}

int direction_index(const std::array<int, kMaxDims> &v, int ndims) {
  int index = 0;
  for (int d = ndims - 1; d >= 0; --d) index = 3 * index + v[static_cast<std::size_t>(d)] + 1;
  return index;
}

std::array<int, kMaxDims> opposite(std::array<int, kMaxDims> v) {
  for (int &x : v) x = -x;
  return v;
}

std::vector<Direction> list_directions(const hlc_halo_spec &spec) {
  std::vector<Direction> directions;
  int all = 1;
  for (int d = 0; d < spec.grid->ndims; ++d) all *= 3;
  for (int index = 0; index < all; ++index) {
    std::array<int, kMaxDims> v{};
    for (int d = 0, rest = index; d < spec.grid->ndims; ++d, rest /= 3) v[static_cast<std::size_t>(d)] = rest % 3 - 1;
    if (!has_neighbours_in(spec, v)) continue;
    const int rank = neighbour_rank(spec, v);
    if (rank == HLC_NO_NEIGHBOUR) continue;
    const Direction direction = make_direction(spec, v, rank);
    if (direction.halo.cells() > 0 || direction.edge.cells() > 0) directions.push_back(direction);
  }
  return directions;
}

std::int64_t element_bytes(const hlc_field &field) {
  return field.type == HLC_OPAQUE ? static_cast<std::int64_t>(field.element_bytes) : type_bytes(field.type);
}

std::int64_t array_cells(const hlc_halo_spec &spec, int d) { return spec.depth_low[d] + spec.grid->local[d] + spec.depth_high[d]; }

Strides field_strides(const hlc_halo_spec &spec, const hlc_field &field) {
  const int ndims = spec.grid->ndims;
  Strides strides{};
  std::copy_n(field.stride_bytes, ndims, strides.begin());
  if (std::any_of(strides.begin(), strides.end(), [](std::int64_t s) { return s != 0; })) return strides;
  std::int64_t next = element_bytes(field);
  for (int i = 0; i < ndims; ++i) {
    const int d = spec.layout == HLC_COLUMN_MAJOR ? i : ndims - 1 - i;
    strides[static_cast<std::size_t>(d)] = next;
    if (__builtin_mul_overflow(next, array_cells(spec, d), &next)) next = INT64_MAX;  // refused by check_spec
  }
  return strides;
}

std::array<int, kMaxDims> stride_order(const Strides &strides, int ndims) {
  std::array<int, kMaxDims> order{};
  std::iota(order.begin(), order.end(), 0);
  // Four at most. Insertion keeps equal strides in their order, and needs no memory, as std::stable_sort does.
  const auto stride = [&](int place) { return strides[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])]; };
  for (int i = 1; i < ndims; ++i)
    for (int j = i; j > 0 && stride(j) < stride(j - 1); --j)
      std::swap(order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(j - 1)]);
  return order;
}

Nesting find_nesting(const hlc_halo_spec &spec, const Strides &strides) {
  Nesting nesting{};
  for (int a = 0; a < spec.grid->ndims; ++a)
    for (int b = 0; b < spec.grid->ndims; ++b)
      nesting.inside[a][b] = array_cells(spec, a) > 1 && array_cells(spec, b) > 1 &&
                             strides[static_cast<std::size_t>(a)] < strides[static_cast<std::size_t>(b)];
  return nesting;
}

bool order_dims(const Nesting &nesting, int ndims, hlc_layout layout, std::array<int, kMaxDims> &order) {
  std::iota(order.begin(), order.end(), 0);
  bool taken[kMaxDims] = {};
  for (int place = 0; place < ndims; ++place) {
    const auto innermost = [&](int d) {
      for (int other = 0; other < ndims; ++other)
        if (!taken[other] && nesting.inside[other][d]) return false;
      return !taken[d];
    };
    int next = -1;
    for (int i = 0; i < ndims && next < 0; ++i)
      if (const int d = layout == HLC_COLUMN_MAJOR ? i : ndims - 1 - i; innermost(d)) next = d;
    if (next < 0) return false;
    taken[next] = true;
    order[static_cast<std::size_t>(place)] = next;
  }
  return true;
}

std::int64_t field_extent(const hlc_halo_spec &spec, const hlc_field &field) {
  const Strides strides = field_strides(spec, field);
  std::int64_t last = 0;
  for (int d = 0; d < spec.grid->ndims; ++d) last += (array_cells(spec, d) - 1) * strides[static_cast<std::size_t>(d)];
  return last + element_bytes(field);
}

std::int64_t box_offset(const Box &box, const Strides &strides) {
  return std::inner_product(box.start.begin(), box.start.end(), strides.begin(), std::int64_t{0});
}

}  // namespace halocline
