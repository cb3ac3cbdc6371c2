// Choosing the process grid with the smallest block surface, and cutting the cells into blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/grid.hpp"

#include <algorithm>
#include <array>

namespace halocline {
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

Status check(const Context &context, int ndims, const std::int64_t *global, const int *dims, const hlc_grid *grid) {
  const int me = context.rank();
  if (!global || !grid) return fail(Status::argument, "hlc_grid_create on rank %d: %s is NULL", me, global ? "grid" : "global");
  if (ndims < 1 || ndims > HLC_MAX_DIMS)
    return fail(Status::argument, "hlc_grid_create on rank %d: ndims is %d, it must be 1 to %d", me, ndims, HLC_MAX_DIMS);
  for (int d = 0; d < ndims; ++d) {
    if (global[d] < 1 || global[d] > kMostCells)
      return fail(Status::argument, "hlc_grid_create on rank %d: global[%d] is %lld, it must be 1 or more, and no more than memory holds",
                  me, d, static_cast<long long>(global[d]));
    if (dims && dims[d] < 0)
      return fail(Status::argument, "hlc_grid_create on rank %d: dims[%d] is %d, it must be 0 or more", me, d, dims[d]);
  }
  return Status::ok;
}

}  // namespace

Status create_grid(const Context &context, int ndims, const std::int64_t *global, const int *dims, const int *periodic, hlc_grid *grid) {
  HLC_TRY(check(context, ndims, global, dims, grid));
  Search search{ndims, global, dims, periodic};
  Dims trial{};
  search.try_all(0, context.size(), trial);
  if (search.best_surface < 0)
    return fail(Status::argument,
                "hlc_grid_create on rank %d: %d ranks cannot be split over the grid so that dims fit and each rank has a cell",
                context.rank(), context.size());

  *grid = hlc_grid{};
  grid->ndims = ndims;
  int rest = context.rank();
  for (int d = ndims - 1; d >= 0; --d) {
    const int n = search.best[static_cast<std::size_t>(d)];
    grid->dims[d] = n;
    grid->periodic[d] = periodic && periodic[d] ? 1 : 0;
    grid->coords[d] = rest % n;
    rest /= n;
    // The first global % n blocks have one cell more.
    const std::int64_t cells = global[d] / n, more = global[d] % n, c = grid->coords[d];
    grid->global[d] = global[d];
    grid->local[d] = cells + (c < more ? 1 : 0);
    grid->start[d] = c * cells + std::min(c, more);
  }
  return Status::ok;
}

int grid_rank(const hlc_grid &grid, const int *coords) {
  int rank = 0;
  for (int d = 0; d < grid.ndims; ++d) {
    const int n = grid.dims[d];
    int c = coords[d];
    if (grid.periodic[d]) c = ((c % n) + n) % n;
    if (c < 0 || c >= n) return HLC_NO_NEIGHBOUR;
    rank = rank * n + c;
  }
  return rank;
}

}  // namespace halocline
