// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include <algorithm>

namespace ghost {
namespace {

MPI_Comm ranks_of_node(const hlc_context_info_t &info) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, info.node, info.rank, &comm);
  return comm;
}

/// What the others need to know of a rank.
struct Card {
  int node, node_rank;
  Index cells;
};

std::vector<Card> cards_of_all(const hlc_context_info_t &info, const Index &cells) {
  const Card mine{info.node, info.node_rank, cells};
  std::vector<Card> cards(static_cast<std::size_t>(info.size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, cards.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return cards;
}

/// With --local every rank gets a cube, so the grid follows from the ranks along each dimension.
hlc_grid split(const halocline::Context &context, const Options &options, int size) {
  std::array<int, 3> dims{0, 0, 0}, periodic{};
  for (int d = 0; d < 3; ++d) periodic[d] = options.is_periodic(d);
  if (!options.ranks.empty()) std::copy(options.ranks.begin(), options.ranks.end(), dims.begin());
  const bool all_free = dims[0] + dims[1] + dims[2] == 0;
  Index global{};
  if (options.global.empty()) {
    std::int64_t fixed = 1;
    for (const int ranks : dims) fixed = std::min<std::int64_t>(fixed * std::max(ranks, 1), INT32_MAX);
    if (size % fixed == 0) MPI_Dims_create(size, 3, dims.data());
    if (all_free) std::reverse(dims.begin(), dims.end());  // most ranks along z, whose faces are contiguous
    for (int d = 0; d < 3; ++d) global[d] = options.local * std::max(1, dims[d]);
  } else {
    std::copy(options.global.begin(), options.global.end(), global.begin());
  }
  hlc_grid grid{};
  halocline::check(hlc_grid_create(context.raw(), 3, global.data(), dims.data(), periodic.data(), &grid));
  return grid;
}

}  // namespace

Grid::Grid(const halocline::Context &context, const Options &options) : info(context.info()), node(ranks_of_node(info)) {
  core_per_rank = common::size_of(common::machine_of(MPI_COMM_WORLD)) <= info.cores;
  const hlc_grid grid = split(context, options, info.size);
  for (int d = 0; d < 3; ++d) {
    ranks[d] = grid.dims[d];
    global[d] = grid.global[d], start[d] = grid.start[d], cells[d] = grid.local[d];
  }
  node_ranks.resize(static_cast<std::size_t>(info.node_size));
  MPI_Allgather(&info.rank, 1, MPI_INT, node_ranks.data(), 1, MPI_INT, node);
  find_neighbours(grid, options);
}

void Grid::find_neighbours(const hlc_grid &grid, const Options &options) {
  const std::vector<Card> cards = cards_of_all(info, cells);
  for (int i = 0; i < kDirections; ++i) {
    const Index v = direction(i);
    int at[HLC_MAX_DIMS] = {};
    for (int d = 0; d < 3; ++d) at[d] = grid.coords[d] + static_cast<int>(v[d]);
    const int rank = hlc_grid_rank(&grid, at);
    if (!options.reads(v) || rank == HLC_NO_NEIGHBOUR) continue;
    const Card &card = cards[static_cast<std::size_t>(rank)];
    const Where where = rank == info.rank ? Where::self : card.node == info.node ? Where::same_node : Where::other_node;
    neighbours[static_cast<std::size_t>(i)] = {where, rank, card.node_rank, card.cells};
  }
}

}  // namespace ghost
