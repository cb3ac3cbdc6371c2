// Directions, boxes and strides.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/geometry.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halo/grid.hpp"

namespace halocline::core {
namespace {

/// The halo of a direction along d, at its place in the array, and the cells of the block along d.
struct Span {
  std::int64_t start, count, block_start, block;
};

Span span_of(const hlc_halo_spec &spec, int v, std::size_t d) {
  const std::int64_t low = spec.depth_low[d], high = spec.depth_high[d], n = spec.grid->local[d];
  if (v == 0) return {low, n, low, n};
  return v < 0 ? Span{0, low, low, n} : Span{low + n, high, low, n};
}

/// Splits the pieces made so far along d, where the block repeats itself in the halo.
void split(std::vector<Wrap> &pieces, const Span &span, std::size_t d) {
  std::vector<Wrap> all;
  for (const Wrap &whole : pieces)
    for (std::int64_t done = 0; done < span.count;) {
      Wrap piece = whole;
      const std::int64_t cell = span.start + done - span.block_start;
      const std::int64_t in_block = (cell % span.block + span.block) % span.block;
      piece.halo.start[d] = span.start + done;
      piece.source.start[d] = span.block_start + in_block;
      piece.halo.count[d] = piece.source.count[d] = std::min(span.block - in_block, span.count - done);
      done += piece.halo.count[d];
      all.push_back(piece);
    }
  pieces = std::move(all);
}

std::vector<Wrap> pieces_of(const hlc_halo_spec &spec, const Wrap &direction) {
  std::vector<Wrap> pieces = {direction};
  for (std::size_t d = 0; d < static_cast<std::size_t>(spec.grid->ndims); ++d) {
    const Span span = span_of(spec, direction.v[d], d);
    for (Wrap &piece : pieces) {
      piece.halo.start[d] = piece.source.start[d] = span.start;
      piece.halo.count[d] = piece.source.count[d] = span.count;
    }
    if (direction.v[d] != direction.base[d]) split(pieces, span, d);
  }
  return pieces;
}

}  // namespace

bool uses_spec_depths(const hlc_halo_spec &spec) {
  return !spec.shapes || std::any_of(spec.shapes, spec.shapes + spec.nfields, [](const hlc_field_shape &one) { return !one.own_depth; });
}

bool is_wrapped(const hlc_halo_spec &spec, int d) {
  const bool has_neighbours = (spec.grid->periodic[d] || spec.neighbours) && uses_spec_depths(spec);
  return has_neighbours && std::max(spec.depth_low[d], spec.depth_high[d]) > spec.grid->local[d];
}

int find_wrapped(const hlc_halo_spec &spec) {
  for (int d = 0; d < spec.grid->ndims; ++d)
    if (is_wrapped(spec, d)) return d;
  return -1;
}

std::array<int, kMaxDims> base_of(const hlc_halo_spec &spec, std::array<int, kMaxDims> v) {
  for (int d = 0; d < spec.grid->ndims; ++d)
    if (is_wrapped(spec, d)) v[static_cast<std::size_t>(d)] = 0;
  return v;
}

std::vector<Wrap> list_wraps(const hlc_halo_spec &spec) {
  std::vector<Wrap> wraps;
  for_each_direction(spec, [&](const std::array<int, kMaxDims> &v) {
    const auto base = base_of(spec, v);
    if (base == v) return;
    const int rank = neighbour_rank(spec, v);  // that of base, or myself where that is my block
    if (rank == HLC_NO_NEIGHBOUR) return;
    for (const Wrap &piece : pieces_of(spec, {v, base, rank, {}, {}}))
      if (piece.halo.cells() > 0) wraps.push_back(piece);
  });
  return wraps;
}

bool fills(const hlc_halo_spec &spec, std::size_t field, const std::array<int, kMaxDims> &v) {
  const int ndims = spec.grid->ndims;
  return !spec.fills || spec.fills[field * HLC_DIRECTIONS(ndims) + static_cast<std::size_t>(direction_index(v, ndims))] != 0;
}

/// A component that moves up enters from below.
Status list_fills(int ndims, const int *velocity, unsigned char *fills) {
  if (ndims < 1 || ndims > kMaxDims) return fail(Status::argument, "hlc_fills_moving: ndims is %d but must be 1 to %d", ndims, kMaxDims);
  if (!velocity || !fills) return fail(Status::argument, "hlc_fills_moving: %s is NULL", velocity ? "fills" : "velocity");
  for (int number = 0; number < HLC_DIRECTIONS(ndims); ++number) {
    bool enters = true;
    for (int d = 0, rest = number; d < ndims; ++d, rest /= 3) {
      const int v = rest % 3 - 1, sign = (velocity[d] > 0) - (velocity[d] < 0);
      enters = enters && (v == 0 || v == -sign);
    }
    fills[number] = enters ? 1 : 0;
  }
  return Status::ok;
}

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
  const Extents extents = Extents::of(spec);
  for_each_direction(spec, [&](const std::array<int, kMaxDims> &v) {
    const int rank = base_of(spec, v) == v ? neighbour_rank(spec, v) : HLC_NO_NEIGHBOUR;
    if (rank == HLC_NO_NEIGHBOUR) return;
    const Direction direction{v, rank, extents.halo(v), extents.edge(v)};
    if (spec.shapes || direction.halo.cells() > 0 || direction.edge.cells() > 0) directions.push_back(direction);
  });
  return directions;
}

std::int64_t element_bytes(const hlc_field &field) {
  return field.type == HLC_OPAQUE ? static_cast<std::int64_t>(field.element_bytes) : type_bytes(field.type);
}

Extents Extents::of(const hlc_halo_spec &spec) {
  Extents made;
  for (std::size_t d = 0; d < static_cast<std::size_t>(spec.grid->ndims); ++d) {
    made.block[d] = spec.grid->local[d];
    made.low[d] = made.low_above[d] = spec.depth_low[d];
    made.high[d] = made.high_below[d] = spec.depth_high[d];
  }
  return made;
}

/// At the upper end of an open dimension a rank owns the last node as well.
Extents Extents::of(const hlc_halo_spec &spec, int field) {
  Extents made = of(spec);
  if (!spec.shapes) return made;
  const hlc_field_shape &shape = spec.shapes[field];
  for (std::size_t d = 0; d < static_cast<std::size_t>(spec.grid->ndims); ++d) {
    if (shape.own_depth) {
      made.low[d] = made.low_above[d] = shape.depth_low[d];
      made.high[d] = made.high_below[d] = shape.depth_high[d];
    }
    made.shared[d] = shape.stagger[d] == HLC_NODES_SHARED ? 1 : 0;
    made.block[d] += made.shared[d];
    if (shape.stagger[d] != HLC_NODES_OWNED) continue;
    std::array<int, kMaxDims> up{};
    up[d] = 1;
    made.owned[d] = 1;
    made.high_below[d] += 1;
    (neighbour_rank(spec, up) == HLC_NO_NEIGHBOUR ? made.block : made.high)[d] += 1;
  }
  return made;
}

Box Extents::box(int number) const {
  std::array<int, kMaxDims> v{};
  for (int &along : v) {
    along = number % 3 - 1;
    number /= 3;
  }
  return halo(v);
}

Box Extents::halo(const std::array<int, kMaxDims> &v, std::int64_t most) const {
  Box box;
  for (std::size_t d = 0; d < v.size(); ++d) {
    const std::int64_t below = std::min(low[d], most), above = std::min(high[d], most + owned[d]);
    box.start[d] = v[d] < 0 ? low[d] - below : v[d] > 0 ? low[d] + block[d] : low[d];
    box.count[d] = v[d] < 0 ? below : v[d] > 0 ? above : block[d];
  }
  return box;
}

Box Extents::edge(const std::array<int, kMaxDims> &v, std::int64_t most) const {
  Box box;
  for (std::size_t d = 0; d < v.size(); ++d) {
    const std::int64_t below = std::min(high_below[d], most + owned[d]), above = std::min(low_above[d], most);
    box.start[d] = v[d] < 0 ? low[d] + shared[d] : v[d] > 0 ? low[d] + block[d] - shared[d] - above : low[d];
    box.count[d] = v[d] < 0 ? below : v[d] > 0 ? above : block[d];
  }
  return box;
}

std::int64_t Extents::deepest() const {
  std::int64_t most = 0;
  for (std::size_t d = 0; d < low.size(); ++d) most = std::max({most, low_above[d], high_below[d] - owned[d]});
  return most;
}

std::int64_t deepest_halo(const hlc_halo_spec &spec) {
  std::int64_t most = 0;
  for (int f = 0; f < spec.nfields; ++f) most = std::max(most, Extents::of(spec, f).deepest());
  return most;
}

bool lacks_layout(hlc_layout layout, int ndims, const hlc_field &field) {
  const auto has_stride = [&](std::int64_t stride) { return stride != 0; };
  return layout == HLC_LAYOUT_UNSET && ndims > 1 && std::none_of(field.stride_bytes, field.stride_bytes + ndims, has_stride);
}

Strides field_strides(const hlc_halo_spec &spec, const hlc_field &field, const Extents &extents) {
  const int ndims = spec.grid->ndims;
  Strides strides{};
  std::copy_n(field.stride_bytes, ndims, strides.begin());
  if (std::any_of(strides.begin(), strides.end(), [](std::int64_t s) { return s != 0; })) return strides;
  std::int64_t next = element_bytes(field);
  for (int i = 0; i < ndims; ++i) {
    const int d = spec.layout == HLC_ROW_MAJOR ? ndims - 1 - i : i;
    strides[static_cast<std::size_t>(d)] = next;
    if (__builtin_mul_overflow(next, extents.cells(d), &next)) next = INT64_MAX;  // refused by check_spec
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

Nesting find_nesting(const Extents &extents, int ndims, const Strides &strides) {
  Nesting nesting{};
  for (int a = 0; a < ndims; ++a)
    for (int b = 0; b < ndims; ++b)
      nesting.inside[a][b] =
          extents.cells(a) > 1 && extents.cells(b) > 1 && strides[static_cast<std::size_t>(a)] < strides[static_cast<std::size_t>(b)];
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
      if (const int d = layout == HLC_ROW_MAJOR ? ndims - 1 - i : i; innermost(d)) next = d;
    if (next < 0) return false;
    taken[next] = true;
    order[static_cast<std::size_t>(place)] = next;
  }
  return true;
}

std::int64_t field_extent(const hlc_halo_spec &spec, const hlc_field &field, const Extents &extents) {
  const Strides strides = field_strides(spec, field, extents);
  std::int64_t last = 0;
  for (int d = 0; d < spec.grid->ndims; ++d) last += (extents.cells(d) - 1) * strides[static_cast<std::size_t>(d)];
  return last + element_bytes(field);
}

std::int64_t box_offset(const Box &box, const Strides &strides) {
  return std::inner_product(box.start.begin(), box.start.end(), strides.begin(), std::int64_t{0});
}

}  // namespace halocline::core
