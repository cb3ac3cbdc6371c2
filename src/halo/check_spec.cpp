// What one rank can check of a spec alone. A message names the argument, the rank and the value.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "base/bounds.hpp"
#include "base/types.hpp"
#include "halo/geometry.hpp"
#include "halo/grid.hpp"
#include "halo/overlap.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kMaxRepetitions = std::int64_t{1} << 16;  // of a block in its own halo, all dimensions together

const char *field_name(const hlc_field &field) { return field.name ? field.name : "(no name)"; }

Status bad(int rank, const std::string &argument, long long value, const std::string &rule) {
  return fail(Status::argument, "hlc_halo_init on rank %d: %s is %lld but must be %s", rank, argument.c_str(), value, rule.c_str());
}

/// One dimension's cells. A grid filled by hand may leave global at 0: the library does not need it.
Status check_cells(const hlc_grid &grid, int d, int rank) {
  if (grid.local[d] < 1 || grid.local[d] > kMostCells)
    return bad(rank, indexed("grid.local", d), grid.local[d], "1 or more, and no more than memory holds");
  if (grid.global[d] != 0 && (grid.start[d] < 0 || grid.start[d] > grid.global[d] - grid.local[d]))
    return bad(rank, indexed("grid.start", d), grid.start[d],
               "0 or more, and with grid.local at most grid.global, " + std::to_string(grid.global[d]));
  if (grid.periodic[d] != 0 && grid.periodic[d] != 1) return bad(rank, indexed("grid.periodic", d), grid.periodic[d], "0 or 1");
  return Status::ok;
}

Status check_place(const hlc_grid &grid, int d, int rank, int size) {
  if (grid.dims[d] < 1 || grid.dims[d] > size)
    return bad(rank, indexed("grid.dims", d), grid.dims[d], "1 to the number of ranks, " + std::to_string(size));
  if (grid.coords[d] < 0 || grid.coords[d] >= grid.dims[d])
    return bad(rank, indexed("grid.coords", d), grid.coords[d], "0 or more and below grid.dims");
  return Status::ok;
}

/// A table of neighbours says all that a swap needs of the ranks' places.
bool leaves_places_out(const hlc_halo_spec &spec) {
  const hlc_grid &grid = *spec.grid;
  return spec.neighbours && std::all_of(grid.dims, grid.dims + grid.ndims, [](int ranks) { return ranks == 0; });
}

Status check_grid(const hlc_halo_spec &spec, int rank, int size) {
  const hlc_grid &grid = *spec.grid;
  if (grid.ndims < 1 || grid.ndims > HLC_MAX_DIMS) return bad(rank, "grid.ndims", grid.ndims, "1 to 4");
  for (int d = 0; d < grid.ndims; ++d) HLC_TRY(check_cells(grid, d, rank));
  HLC_TRY(check_order(grid, "hlc_halo_init", rank, size));
  if (leaves_places_out(spec)) return Status::ok;
  std::int64_t ranks = 1;
  for (int d = 0; d < grid.ndims; ++d) {
    HLC_TRY(check_place(grid, d, rank, size));
    ranks = std::min<std::int64_t>(ranks * grid.dims[d], INT32_MAX);
  }
  if (ranks != size) return bad(rank, "the product of grid.dims", ranks, "the number of ranks, " + std::to_string(size));
  // With a table of neighbours the ranks may be in any order.
  const int here = grid_rank(grid, grid.coords);
  if (spec.neighbours || here == rank) return Status::ok;
  return fail(Status::argument, "hlc_halo_init on rank %d: grid.coords belong to rank %d, not to this rank", rank, here);
}

/// True if all cells beyond the block along d are the rank's own, as if the block were repeated there.
bool is_own_neighbour(const hlc_halo_spec &spec, int d, int rank) {
  if (!spec.neighbours) return spec.grid->dims[d] == 1;
  bool own = true;
  for_each_direction(spec, [&](const std::array<int, kMaxDims> &v) {
    auto base = v;
    base[static_cast<std::size_t>(d)] = 0;
    const bool inside = base == std::array<int, kMaxDims>{};
    own = own && neighbour_rank(spec, v) == (inside ? rank : neighbour_rank(spec, base));
  });
  return own;
}

/// A halo deeper than the block would need cells of the neighbour's neighbour, if that is not the rank itself.
Status check_depths(const hlc_halo_spec &spec, int rank) {
  const hlc_grid &grid = *spec.grid;
  for (int d = 0; d < grid.ndims; ++d) {
    const std::int64_t depths[2] = {spec.depth_low[d], spec.depth_high[d]};
    const char *names[2] = {"depth_low", "depth_high"};
    for (int side = 0; side < 2; ++side) {
      const std::string argument = indexed(names[side], d);
      if (depths[side] < 0 || depths[side] > kMostCells)
        return bad(rank, argument, depths[side], "0 or more, and no more than memory holds");
      const bool has_neighbours = uses_spec_depths(spec) && (grid.dims[d] > 1 || grid.periodic[d] || spec.neighbours);
      if (depths[side] > grid.local[d] && has_neighbours && !is_own_neighbour(spec, d, rank))
        return fail(
            Status::argument,
            "hlc_halo_init on rank %d: %s is %lld, but the rank has only %lld cells in dimension %d: cells of a neighbour's neighbour "
            "would be needed, which is possible only where a rank is its own periodic neighbour",
            rank, argument.c_str(), static_cast<long long>(depths[side]), static_cast<long long>(grid.local[d]), d);
    }
  }
  return Status::ok;
}

/// Each repetition of the block in a halo is a copy of its own.
Status check_repetitions(const hlc_halo_spec &spec, int rank) {
  std::int64_t pieces = 1;
  for (int d = 0; d < spec.grid->ndims; ++d) {
    if (!is_wrapped(spec, d)) continue;
    const std::int64_t deepest = std::max(spec.depth_low[d], spec.depth_high[d]), times = deepest / spec.grid->local[d] + 1;
    if (times > kMaxRepetitions / pieces)
      return bad(rank, indexed(deepest == spec.depth_low[d] ? "depth_low" : "depth_high", d), deepest,
                 "less: the block, of " + std::to_string(spec.grid->local[d]) + " cells there, would be repeated more than " +
                     std::to_string(kMaxRepetitions) + " times");
    pieces *= times;
  }
  return Status::ok;
}

Status check_element(const hlc_field &field, const std::string &who, int rank) {
  if (!field.data) return fail(Status::argument, "hlc_halo_init on rank %d: %s: data is NULL", rank, who.c_str());
  const std::int64_t element = element_bytes(field);
  const bool fits = field.type == HLC_OPAQUE || field.element_bytes == 0 || static_cast<std::int64_t>(field.element_bytes) == element;
  if (element > 0 && element <= kMaxBytes && fits) return Status::ok;
  if (field.type == HLC_OPAQUE)
    return fail(Status::argument, "hlc_halo_init on rank %d: %s: element_bytes is %zu but must be 1 to %lld for type HLC_OPAQUE", rank,
                who.c_str(), field.element_bytes, static_cast<long long>(kMaxBytes));
  if (element == 0)
    return fail(Status::argument, "hlc_halo_init on rank %d: %s: invalid hlc_type %d", rank, who.c_str(), static_cast<int>(field.type));
  return fail(Status::argument, "hlc_halo_init on rank %d: %s: element_bytes is %zu, but an element of type %s has %lld (or set 0)", rank,
              who.c_str(), field.element_bytes, type_name(field.type), static_cast<long long>(element));
}

Status check_field(const hlc_halo_spec &spec, int f, int rank) {
  const hlc_field &field = spec.fields[f];
  const std::string who = indexed("fields", f) + " '" + field_name(field) + "'";
  HLC_TRY(check_element(field, who, rank));
  const Extents extents = Extents::of(spec, f);
  const Strides strides = field_strides(spec, field, extents);
  std::int64_t inner = element_bytes(field);
  for (const int dim : stride_order(strides, spec.grid->ndims)) {
    if (dim >= spec.grid->ndims) break;
    const std::int64_t stride = strides[static_cast<std::size_t>(dim)], cells = extents.cells(dim);
    if (cells > 1 && stride < inner)
      return fail(Status::argument,
                  "hlc_halo_init on rank %d: %s: stride_bytes[%d] is %lld, so cells would overlap; at least %lld is needed", rank,
                  who.c_str(), dim, static_cast<long long>(stride), static_cast<long long>(inner));
    if (cells > 1 && stride > kMaxBytes / cells)
      return bad(rank, who + ": " + indexed("stride_bytes", dim), stride, "so small that the field fits into memory");
    if (cells > 1) inner = stride * cells;
  }
  return Status::ok;
}

Status check_overlap(const hlc_halo_spec &spec, int f, int g, int rank) {
  const hlc_field &first = spec.fields[f], &second = spec.fields[g];
  if (!fields_overlap(spec, first, Extents::of(spec, f), second, Extents::of(spec, g))) return Status::ok;
  return fail(Status::argument, "hlc_halo_init on rank %d: fields[%d] '%s' and fields[%d] '%s' overlap: their data are %lld bytes apart",
              rank, f, field_name(first), g, field_name(second), static_cast<long long>(bytes_between(first, second)));
}

Status check_layout(const hlc_halo_spec &spec, int rank) {
  if (spec.layout != HLC_LAYOUT_UNSET && spec.layout != HLC_ROW_MAJOR && spec.layout != HLC_COLUMN_MAJOR)
    return bad(rank, "layout", spec.layout, "HLC_ROW_MAJOR or HLC_COLUMN_MAJOR");
  for (int f = 0; f < spec.nfields; ++f)
    if (lacks_layout(spec.layout, spec.grid->ndims, spec.fields[f]))
      return fail(Status::argument,
                  "hlc_halo_init on rank %d: layout is not set, and %s '%s' has no stride_bytes: set layout to HLC_ROW_MAJOR (the last "
                  "dimension is contiguous, as in C arrays) or HLC_COLUMN_MAJOR (the first one is, as in Fortran)",
                  rank, indexed("fields", f).c_str(), field_name(spec.fields[f]));
  return Status::ok;
}

/// The rank below gets my first node on top of what its halo has.
Status check_nodes(const hlc_halo_spec &spec, int f, int d, const std::string &who, int rank) {
  const hlc_grid &grid = *spec.grid;
  const bool has_rank_below = spec.neighbours || grid.periodic[d] || grid.coords[d] > 0;
  const auto at = static_cast<std::size_t>(d);
  const Extents extents = Extents::of(spec, f);
  if (extents.owned[at] == 0 || !has_rank_below || extents.high_below[at] <= extents.block[at]) return Status::ok;
  return bad(rank, who + indexed("depth_high", d), extents.high_below[at] - 1,
             "0 to " + std::to_string(extents.block[at] - 1) +
                 ": of HLC_NODES_OWNED the rank below gets one value more, and this rank owns " + std::to_string(extents.block[at]));
}

/// Depths of a shape that would be ignored: the array is hardly as large as those of the spec need it.
Status check_own_depth(const hlc_field_shape &shape, int d, const std::string &who, int rank) {
  for (const auto &[name, depth] : {std::pair{"depth_low", shape.depth_low[d]}, std::pair{"depth_high", shape.depth_high[d]}})
    if (!shape.own_depth && depth != 0)
      return fail(Status::argument,
                  "hlc_halo_init on rank %d: %s%s is %lld, and own_depth is 0: set own_depth to 1 to give the field depths of its own, or "
                  "the depths of the shape to 0",
                  rank, who.c_str(), indexed(name, d).c_str(), static_cast<long long>(depth));
  return Status::ok;
}

/// A field whose halo were deeper than the smallest block would need values of a neighbour's neighbour.
Status check_shape(const hlc_halo_spec &spec, int f, int rank) {
  const hlc_field_shape &shape = spec.shapes[f];
  const std::string who = indexed("shapes", f) + ", of field '" + field_name(spec.fields[f]) + "': ";
  if (shape.own_depth != 0 && shape.own_depth != 1) return bad(rank, who + "own_depth", shape.own_depth, "0 or 1");
  for (int d = 0; d < spec.grid->ndims; ++d) {
    if (shape.stagger[d] < HLC_CENTRED || shape.stagger[d] > HLC_NODES_OWNED)
      return bad(rank, who + indexed("stagger", d), shape.stagger[d], "HLC_CENTRED, HLC_NODES_SHARED or HLC_NODES_OWNED");
    HLC_TRY(check_own_depth(shape, d, who, rank));
    const std::string most = "0 to the rank's cells, " + std::to_string(spec.grid->local[d]);
    const std::int64_t own[2] = {shape.own_depth ? shape.depth_low[d] : 0, shape.own_depth ? shape.depth_high[d] : 0};
    for (const bool high : {false, true})
      if (own[high] < 0 || own[high] > spec.grid->local[d])
        return bad(rank, who + indexed(high ? "depth_high" : "depth_low", d), own[high], most);
    HLC_TRY(check_nodes(spec, f, d, who, rank));
  }
  return Status::ok;
}

Status check_shapes(const hlc_halo_spec &spec, int rank) {
  if (!spec.shapes) return Status::ok;
  if (spec.staged)
    return fail(
        Status::unsupported,
        "hlc_halo_init on rank %d: staged is set and shapes are given, but staged halos have all fields in the cells and one depth: set "
        "staged to 0, or shapes to NULL",
        rank);
  if (const int d = find_wrapped(spec); d >= 0) {
    const bool low = spec.depth_low[d] >= spec.depth_high[d];
    return fail(Status::unsupported,
                "hlc_halo_init on rank %d: %s is %lld and shapes are given, but with shapes no halo may be deeper than the block of %lld "
                "cells: set at most that, or shapes to NULL",
                rank, indexed(low ? "depth_low" : "depth_high", d).c_str(),
                static_cast<long long>(low ? spec.depth_low[d] : spec.depth_high[d]), static_cast<long long>(spec.grid->local[d]));
  }
  for (int f = 0; f < spec.nfields; ++f) HLC_TRY(check_shape(spec, f, rank));
  return Status::ok;
}

Status check_fields(const hlc_halo_spec &spec, int rank) {
  for (int f = 0; f < spec.nfields; ++f) HLC_TRY(check_field(spec, f, rank));
  for (int f = 0; f < spec.nfields; ++f)
    for (int g = f + 1; g < spec.nfields; ++g) HLC_TRY(check_overlap(spec, f, g, rank));
  return Status::ok;
}

Status check_neighbours(const hlc_halo_spec &spec, int rank, int size) {
  const std::vector<Direction> directions = list_directions(spec);
  for (const Direction &direction : directions)
    if (direction.rank < 0 || direction.rank >= size)
      return bad(rank, indexed("neighbours", direction_index(direction.v, spec.grid->ndims)), direction.rank,
                 "a rank of the context (0 to " + std::to_string(size - 1) + ") or HLC_NO_NEIGHBOUR");
  for (const Direction &direction : directions) {
    const int back = neighbour_rank(spec, opposite(direction.v));
    if (direction.rank == rank && back != rank)
      return bad(rank, indexed("neighbours", direction_index(opposite(direction.v), spec.grid->ndims)), back,
                 "the rank itself, as in the opposite direction");
  }
  return Status::ok;
}

/// Cells beyond a halo that is deeper than the block are copied from those of the base direction, which must be filled.
Status check_fills(const hlc_halo_spec &spec, int rank) {
  for (const Wrap &wrap : list_wraps(spec))
    for (int f = 0; spec.fills && f < spec.nfields; ++f) {
      const auto field = static_cast<std::size_t>(f);
      if (wrap.base == std::array<int, kMaxDims>{} || !fills(spec, field, wrap.v) || fills(spec, field, wrap.base)) continue;
      const int ndims = spec.grid->ndims, directions = HLC_DIRECTIONS(ndims), base = direction_index(wrap.base, ndims);
      return fail(
          Status::argument,
          "hlc_halo_init on rank %d: fills[%d * %d + %d] is 0, but direction %d of fields[%d] '%s' must be filled: its cells repeat "
          "those of direction %d, as the halo is deeper than the block there",
          rank, f, directions, base, direction_index(wrap.v, ndims), f, field_name(spec.fields[f]), base);
    }
  return Status::ok;
}

}  // namespace

Status check_spec(const hlc_halo_spec *spec, int rank, int size) {
  if (!spec) return fail(Status::argument, "hlc_halo_init on rank %d: spec is NULL", rank);
  if (!spec->grid) return fail(Status::argument, "hlc_halo_init on rank %d: spec.grid is NULL", rank);
  HLC_TRY(check_grid(*spec, rank, size));
  if (spec->nfields < 1) return bad(rank, "nfields", spec->nfields, "1 or more");
  if (!spec->fields) return fail(Status::argument, "hlc_halo_init on rank %d: spec.fields is NULL", rank);
  HLC_TRY(check_depths(*spec, rank));
  HLC_TRY(check_repetitions(*spec, rank));
  HLC_TRY(check_bounds({"hlc_halo_init", rank}, {flag("rebind", spec->rebind), flag("staged", spec->staged)}));
  if (spec->stencil != HLC_STENCIL_BOX && spec->stencil != HLC_STENCIL_STAR) return bad(rank, "stencil", spec->stencil, "an hlc_stencil");
  HLC_TRY(check_layout(*spec, rank));
  HLC_TRY(check_shapes(*spec, rank));
  if (spec->staged && (spec->neighbours || spec->fills))
    return fail(Status::unsupported,
                "hlc_halo_init on rank %d: staged is set, which needs the grid's own neighbours in all directions: %s must be NULL", rank,
                spec->neighbours ? "neighbours" : "fills");
  HLC_TRY(check_neighbours(*spec, rank, size));
  HLC_TRY(check_fills(*spec, rank));
  return check_fields(*spec, rank);
}

}  // namespace halocline::core
