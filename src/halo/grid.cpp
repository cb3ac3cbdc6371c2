// Choosing the process grid with the smallest block surface, numbering its places, and cutting the cells into blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/grid.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <numeric>

namespace halocline::core {
namespace {

using Dims = std::array<int, HLC_MAX_DIMS>;

/// Cells on the surface of the largest block: what one rank sends, per cell of depth.
double block_surface(int ndims, const std::int64_t *global, const Dims &dims, const int *periodic) {
  std::array<double, HLC_MAX_DIMS> block{};
  double volume = 1, surface = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(ndims); ++d) {
    const std::int64_t cells = (global[d] + dims[d] - 1) / dims[d];
    block[d] = static_cast<double>(cells);
    volume *= block[d];
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(ndims); ++d)
    if (dims[d] > 1 || (periodic && periodic[d])) surface += volume / block[d] * (dims[d] > 1 ? 1.0 : 1e-3);
  return surface;
}

struct Search {
  int ndims;
  const std::int64_t *global;
  const int *fixed, *periodic;
  Dims best{};
  double best_surface = -1;

  /// Tries every split of the ranks that are left over the dimensions from d on.
  void try_all(int d, int ranks, Dims &dims) {
    if (d == ndims || d == HLC_MAX_DIMS) {
      if (ranks != 1) return;
      const double surface = block_surface(ndims, global, dims, periodic);
      if (best_surface >= 0 && surface >= best_surface) return;
      best_surface = surface;
      best = dims;
      return;
    }
    const auto i = static_cast<std::size_t>(d);
    const int wanted = fixed ? fixed[d] : 0;
    for (int n = 1; n <= ranks; ++n) {
      if (ranks % n != 0 || (wanted > 0 && n != wanted) || n > global[i]) continue;
      dims[i] = n;
      try_all(d + 1, ranks / n, dims);
    }
  }
};

int product(const int *numbers, int count) { return std::accumulate(numbers, numbers + count, 1, std::multiplies<>()); }

/// Ranks dealt to nodes in turn: the first `more` nodes have one rank more than the others.
struct Deal {
  explicit Deal(const hlc_grid &grid)
      : nodes(grid.dealt), each(product(grid.dims, grid.ndims) / nodes), more(product(grid.dims, grid.ndims) % nodes) {}
  int nodes, each, more;
};

/// The dimensions by how fast ranks run along them, the fastest first.
int fastest(const hlc_grid &grid, int i) { return grid.order == HLC_COLUMN_MAJOR ? i : grid.ndims - 1 - i; }

bool is_order(hlc_layout order) { return order == HLC_LAYOUT_UNSET || order == HLC_ROW_MAJOR || order == HLC_COLUMN_MAJOR; }

Status refuse_order(const char *call, int rank, const char *argument, hlc_layout order) {
  return fail(Status::argument, "%s on rank %d: %s is %d but must be HLC_ROW_MAJOR (or 0) or HLC_COLUMN_MAJOR", call, rank, argument,
              static_cast<int>(order));
}

/// Places are counted in the order in which ranks fill them.
int place_of(const hlc_grid &grid, int rank) {
  if (grid.dealt == 0) return rank;
  const Deal deal(grid);
  const int node = rank % deal.nodes;
  return node * deal.each + std::min(node, deal.more) + rank / deal.nodes;
}

int rank_of(const hlc_grid &grid, int place) {
  if (grid.dealt == 0) return place;
  const Deal deal(grid);
  const int in_larger = deal.more * (deal.each + 1);
  const int node = place < in_larger ? place / (deal.each + 1) : deal.more + (place - in_larger) / deal.each;
  return (place - node * deal.each - std::min(node, deal.more)) * deal.nodes + node;
}

Status check(const char *call, int me, const Split &split, const hlc_grid *grid) {
  if (!split.global || !grid) return fail(Status::argument, "%s on rank %d: %s is NULL", call, me, split.global ? "grid" : "global");
  if (split.ndims < 1 || split.ndims > HLC_MAX_DIMS)
    return fail(Status::argument, "%s on rank %d: ndims is %d but must be 1 to %d", call, me, split.ndims, HLC_MAX_DIMS);
  if (!is_order(split.order)) return refuse_order(call, me, "order", split.order);
  for (int d = 0; d < split.ndims; ++d) {
    const std::int64_t cells = split.global[d];
    if (cells < 1 || cells > kMostCells)
      return fail(Status::argument, "%s on rank %d: global[%d] is %lld but must be 1 or more, and no more than memory holds", call, me, d,
                  static_cast<long long>(cells));
    if (split.periodic && split.periodic[d] != 0 && split.periodic[d] != 1)
      return fail(Status::argument, "%s on rank %d: periodic[%d] is %d but must be 0 or 1", call, me, d, split.periodic[d]);
    if (split.dims && split.dims[d] < 0)
      return fail(Status::argument, "%s on rank %d: dims[%d] is %d but must be 0 or more", call, me, d, split.dims[d]);
  }
  return Status::ok;
}

/// "(1, 2, 3)", in a buffer: no call of the grid allocates.
struct Listed {
  char text[128] = "(";
  template <class Number>
  Listed(int n, const Number *numbers) {
    std::size_t length = 1;
    for (int i = 0; i < n && length < sizeof text; ++i)
      length += static_cast<std::size_t>(
          std::snprintf(text + length, sizeof text - length, "%lld%s", static_cast<long long>(numbers[i]), i + 1 < n ? ", " : ")"));
  }
};

Status refuse_split(const Topology &topology, const char *call, const Split &split) {
  constexpr int any[HLC_MAX_DIMS] = {};
  return fail(Status::argument,
              "%s on rank %d: %d ranks cannot be split over the grid so that dims fit and each rank has a cell: global is %s, dims is %s, "
              "where 0 is any",
              call, topology.rank(), topology.size(), Listed(split.ndims, split.global).text,
              Listed(split.ndims, split.dims ? split.dims : any).text);
}

}  // namespace

Status create_grid(const Topology &topology, const char *call, const Split &split, hlc_grid *grid) {
  HLC_TRY(check(call, topology.rank(), split, grid));
  Search search{split.ndims, split.global, split.dims, split.periodic};
  Dims trial{};
  search.try_all(0, topology.size(), trial);
  if (search.best_surface < 0) return refuse_split(topology, call, split);

  *grid = hlc_grid{};
  grid->ndims = split.ndims;
  grid->order = split.order;
  for (int d = 0; d < split.ndims; ++d) {
    grid->dims[d] = search.best[static_cast<std::size_t>(d)];
    grid->periodic[d] = split.periodic && split.periodic[d] ? 1 : 0;
    grid->global[d] = split.global[d];
  }
  take_block(*grid, topology.rank());
  return Status::ok;
}

void take_block(hlc_grid &grid, int rank) {
  const int place = place_of(grid, rank);
  int tile = place, within = 0;
  if (grid.tile[0] > 0) {
    const int places = product(grid.tile, grid.ndims);
    tile = place / places;
    within = place % places;
  }
  for (int i = 0; i < grid.ndims; ++i) {
    const int d = fastest(grid, i), side = grid.tile[0] > 0 ? grid.tile[d] : 1, tiles = grid.dims[d] / side;
    grid.coords[d] = tile % tiles * side + within % side;
    tile /= tiles;
    within /= side;
    // The first global % n blocks have one cell more.
    const int n = grid.dims[d];
    const std::int64_t cells = grid.global[d] / n, more = grid.global[d] % n, c = grid.coords[d];
    grid.local[d] = cells + (c < more ? 1 : 0);
    grid.start[d] = c * cells + std::min(c, more);
  }
}

Status check_order(const hlc_grid &grid, const char *call, int rank, int size) {
  if (!is_order(grid.order)) return refuse_order(call, rank, "grid.order", grid.order);
  for (int d = 0; d < grid.ndims; ++d) {
    const int side = grid.tile[d];
    if ((side == 0) != (grid.tile[0] == 0) || side < 0 || (side > 0 && grid.dims[d] % side != 0))
      return fail(Status::argument, "%s on rank %d: grid.tile[%d] is %d but must be as hlc_grid_reorder left it, or 0 as all others", call,
                  rank, d, side);
  }
  if (grid.dealt >= 0 && grid.dealt <= size) return Status::ok;
  return fail(Status::argument, "%s on rank %d: grid.dealt is %d but must be as hlc_grid_reorder left it, or 0", call, rank, grid.dealt);
}

Rule order_rule(const hlc_grid &grid) {
  const auto word = [](std::int64_t first_fastest) { return first_fastest ? "HLC_COLUMN_MAJOR" : "HLC_ROW_MAJOR"; };
  return {"grid.order", grid.order == HLC_COLUMN_MAJOR, word};
}

/// A grid that was filled by hand may have anything in it.
static bool has_places(const hlc_grid &grid) {
  if (grid.ndims < 1 || grid.ndims > HLC_MAX_DIMS || !is_order(grid.order)) return false;
  for (int d = 0; d < grid.ndims; ++d)
    if (grid.dims[d] < 1 || grid.tile[d] < 0 || (grid.tile[0] > 0 && grid.tile[d] < 1)) return false;
  return true;
}

int grid_rank(const hlc_grid &grid, const int *coords) {
  if (!has_places(grid)) return HLC_NO_NEIGHBOUR;
  int tile = 0, within = 0;
  for (int i = grid.ndims - 1; i >= 0; --i) {
    const int d = fastest(grid, i), n = grid.dims[d], side = grid.tile[0] > 0 ? grid.tile[d] : 1;
    int c = coords[d];
    if (grid.periodic[d]) c = ((c % n) + n) % n;
    if (c < 0 || c >= n) return HLC_NO_NEIGHBOUR;
    tile = tile * (n / side) + c / side;
    within = within * side + c % side;
  }
  return rank_of(grid, grid.tile[0] > 0 ? tile * product(grid.tile, grid.ndims) + within : tile);
}

}  // namespace halocline::core
