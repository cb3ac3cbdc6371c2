// Every rank counts for itself what it would send to other nodes in each order; the sums over all ranks decide.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/placement.hpp"

#include <algorithm>
#include <string>

#include "base/types.hpp"
#include "engine/communicator/consistency.hpp"
#include "halo/geometry.hpp"
#include "halo/grid.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kMaxGridBytes = std::int64_t{1} << 56;  // of a whole grid, so that the sum over 3^4 directions fits 64 bits

/// What all ranks contribute and find together.
struct Poll : Job {
  std::vector<hlc_grid> orders;
  int node = 0;
  std::vector<int> node_of;
  std::vector<std::int64_t> mine, sums;  // bytes between nodes in each order, then all bytes
};

Status bad(int rank, const std::string &argument, std::int64_t value, const char *rule) {
  return fail(Status::argument, "hlc_grid_reorder on rank %d: %s is %lld but must be %s", rank, argument.c_str(),
              static_cast<long long>(value), rule);
}

/// The grid must be what hlc_grid_create makes, or hlc_grid_reorder after it.
Status check_blocks(const hlc_grid &grid, int rank, int size) {
  if (grid.ndims < 1 || grid.ndims > HLC_MAX_DIMS) return bad(rank, "grid.ndims", grid.ndims, "1 to 4");
  std::int64_t ranks = 1;
  for (int d = 0; d < grid.ndims; ++d) {
    if (grid.dims[d] < 1 || grid.dims[d] > size) return bad(rank, indexed("grid.dims", d), grid.dims[d], "1 to the number of ranks");
    if (grid.global[d] < grid.dims[d] || grid.global[d] > kMostCells)
      return bad(rank, indexed("grid.global", d), grid.global[d], "at least grid.dims, and no more than memory holds");
    if (grid.periodic[d] != 0 && grid.periodic[d] != 1) return bad(rank, indexed("grid.periodic", d), grid.periodic[d], "0 or 1");
    ranks = std::min<std::int64_t>(ranks * grid.dims[d], INT32_MAX);
  }
  if (ranks != size) return bad(rank, "the product of grid.dims", ranks, "the number of ranks");
  HLC_TRY(check_order(grid, "hlc_grid_reorder", rank, size));
  hlc_grid expected = grid;
  take_block(expected, rank);
  for (int d = 0; d < grid.ndims; ++d) {
    if (grid.coords[d] != expected.coords[d]) return bad(rank, indexed("grid.coords", d), grid.coords[d], "the rank's own place");
    if (grid.start[d] != expected.start[d] || grid.local[d] != expected.local[d])
      return bad(rank, indexed("grid.local", d), grid.local[d], "as hlc_grid_create left it, and so must grid.start");
  }
  return Status::ok;
}

Status check_shape(const hlc_grid &grid, const hlc_swap_shape &shape, int rank) {
  if (shape.stencil != HLC_STENCIL_BOX && shape.stencil != HLC_STENCIL_STAR) return bad(rank, "stencil", shape.stencil, "an hlc_stencil");
  if (shape.cell_bytes < 1 || shape.cell_bytes > kMaxGridBytes)
    return bad(rank, "cell_bytes", shape.cell_bytes, "0 or more, and no more than memory holds");
  std::int64_t room = kMaxGridBytes / shape.cell_bytes;
  for (int d = 0; d < grid.ndims; ++d) {
    room /= grid.global[d];
    const std::int64_t smallest = grid.global[d] / grid.dims[d];
    const bool repeats = grid.dims[d] == 1 && grid.periodic[d];
    const std::int64_t most = repeats ? kMostCells : smallest;
    const char *rule = repeats ? "0 or more, and no more than memory holds" : "0 or more, and no more than the smallest block has cells";
    if (shape.depth_low[d] < 0 || shape.depth_low[d] > most) return bad(rank, indexed("depth_low", d), shape.depth_low[d], rule);
    if (shape.depth_high[d] < 0 || shape.depth_high[d] > most) return bad(rank, indexed("depth_high", d), shape.depth_high[d], rule);
  }
  return room > 0 ? Status::ok : bad(rank, "cell_bytes", shape.cell_bytes, "so small that the grid fits into memory");
}

std::vector<Rule> rules_of(const hlc_grid &grid, const hlc_swap_shape &shape) {
  std::vector<Rule> rules{{"stencil", shape.stencil}, {"cell_bytes", shape.cell_bytes}};
  rules.push_back(order_rule(grid));
  for (int d = 0; d < grid.ndims; ++d) {
    rules.push_back({indexed("grid.dims", d), grid.dims[d]});
    rules.push_back({indexed("grid.periodic", d), grid.periodic[d] != 0});
    rules.push_back({indexed("grid.global", d), grid.global[d]});
    rules.push_back({indexed("depth_low", d), shape.depth_low[d]});
    rules.push_back({indexed("depth_high", d), shape.depth_high[d]});
  }
  return rules;
}

/// All tiles whose sides divide the dims, one after the other; false after the last.
bool next_tile(const hlc_grid &grid, int *tile) {
  for (int d = grid.ndims - 1; d >= 0; --d) {
    do ++tile[d];
    while (tile[d] <= grid.dims[d] && grid.dims[d] % tile[d] != 0);
    if (tile[d] <= grid.dims[d]) return true;
    tile[d] = 1;
  }
  return false;
}

Status gather_nodes(Communicator &communicator, std::unique_ptr<Poll> &poll) {
  poll->node = communicator.node();
  HLC_TRY(check_mpi(MPI_Iallgather(&poll->node, 1, MPI_INT, poll->node_of.data(), 1, MPI_INT, communicator.comm(), poll->requests.data()),
                    "MPI_Iallgather"));
  return await(communicator, poll);
}

Status add_up(Communicator &communicator, std::unique_ptr<Poll> &poll) {
  const auto count = static_cast<int>(poll->sums.size());
  HLC_TRY(check_mpi(
      MPI_Iallreduce(poll->mine.data(), poll->sums.data(), count, MPI_INT64_T, MPI_SUM, communicator.comm(), poll->requests.data()),
      "MPI_Iallreduce"));
  return await(communicator, poll);
}

/// Asks all ranks what each order would cost them.
Status run_poll(Communicator &communicator, const hlc_grid &grid, const hlc_swap_shape &shape, std::unique_ptr<Poll> &poll) {
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    poll = std::make_unique<Poll>();
    poll->orders = list_orders(grid, communicator.nodes());
    poll->node_of.resize(static_cast<std::size_t>(communicator.size()));
    poll->mine.resize(poll->orders.size() + 1);
    poll->sums.resize(poll->mine.size());
    poll->requests.resize(1, MPI_REQUEST_NULL);
    return Status::ok;
  }));
  HLC_TRY(gather_nodes(communicator, poll));
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    for (std::size_t o = 0; o < poll->orders.size(); ++o) {
      const SwapBytes bytes = count_bytes(poll->orders[o], shape, poll->node_of.data(), communicator.rank());
      poll->mine[o] = bytes.between_nodes;
      poll->mine.back() = bytes.all;
    }
    return Status::ok;
  }));
  return add_up(communicator, poll);
}

/// The nodes along each dimension, if each node holds a box of the process grid, all of one size and side by side. Each node then has as
/// many ranks as the box they span has places. Else all zero.
Status find_node_dims(Communicator &communicator, const hlc_grid &grid, int *node_dims) {
  constexpr std::size_t kDims = HLC_MAX_DIMS, kMisfits = 2 * kDims;
  std::int64_t span[2 * kDims] = {}, sides[kMisfits + 1] = {}, places = 1, misfits = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.ndims); ++d) span[d] = -(span[kDims + d] = grid.coords[d]);
  HLC_TRY(reduce(communicator, communicator.node_comm(), MPI_MAX, span, 2 * HLC_MAX_DIMS));
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.ndims); ++d) {
    const std::int64_t side = span[kDims + d] + span[d] + 1;
    sides[d] = -(sides[kDims + d] = side);
    places *= side;
    misfits += -span[d] % side;
  }
  sides[kMisfits] = misfits + places - communicator.members();
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MAX, sides, kMisfits + 1));
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.ndims); ++d) {
    const bool alike = sides[kMisfits] == 0 && sides[d] == -sides[kDims + d];
    node_dims[d] = alike ? grid.dims[d] / static_cast<int>(sides[kDims + d]) : 0;
  }
  if (*std::min_element(node_dims, node_dims + grid.ndims) == 0) std::fill_n(node_dims, grid.ndims, 0);
  return Status::ok;
}

}  // namespace

hlc_swap_shape fill_in_shape(const hlc_swap_shape *given) {
  hlc_swap_shape shape = given ? *given : hlc_swap_shape{};
  if (shape.cell_bytes == 0) shape.cell_bytes = 8;
  const auto is_zero = [](std::int64_t depth) { return depth == 0; };
  if (std::all_of(shape.depth_low, shape.depth_low + HLC_MAX_DIMS, is_zero) &&
      std::all_of(shape.depth_high, shape.depth_high + HLC_MAX_DIMS, is_zero)) {
    std::fill_n(shape.depth_low, HLC_MAX_DIMS, 1);
    std::fill_n(shape.depth_high, HLC_MAX_DIMS, 1);
  }
  return shape;
}

std::vector<hlc_grid> list_orders(const hlc_grid &grid, int nodes) {
  hlc_grid order = grid;
  order.dealt = 0;
  std::fill_n(order.tile, HLC_MAX_DIMS, 0);
  std::vector<hlc_grid> orders{order};
  if (nodes == 1) return orders;
  std::fill_n(order.tile, grid.ndims, 1);
  do {
    for (const int dealt : {0, nodes}) {
      order.dealt = dealt;
      orders.push_back(order);
    }
  } while (next_tile(grid, order.tile));
  return orders;
}

SwapBytes count_bytes(hlc_grid grid, const hlc_swap_shape &shape, const int *node_of, int rank) {
  take_block(grid, rank);
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.stencil = shape.stencil;
  std::copy_n(shape.depth_low, HLC_MAX_DIMS, spec.depth_low);
  std::copy_n(shape.depth_high, HLC_MAX_DIMS, spec.depth_high);
  SwapBytes bytes;
  for (const Direction &direction : list_directions(spec)) {
    const std::int64_t sent = direction.edge.cells() * shape.cell_bytes;
    if (direction.rank != rank) bytes.all += sent;
    if (node_of[direction.rank] != node_of[rank]) bytes.between_nodes += sent;
  }
  return bytes;
}

Status reorder_grid(Communicator &communicator, const hlc_swap_shape *given, hlc_grid *grid, hlc_placement *placement) {
  const hlc_swap_shape shape = fill_in_shape(given);
  const Call in_call(communicator, CallName::grid_reorder);
  HLC_TRY(meet(communicator, alone(communicator, [&] {
                 if (!grid) return fail(Status::argument, "hlc_grid_reorder on rank %d: grid is NULL", communicator.rank());
                 HLC_TRY(check_blocks(*grid, communicator.rank(), communicator.size()));
                 return check_shape(*grid, shape, communicator.rank());
               })));
  HLC_TRY(check_rules(communicator, "hlc_grid_reorder", [&] { return std::vector<Rule>{{"grid.ndims", grid->ndims}}; }));
  HLC_TRY(check_rules(communicator, "hlc_grid_reorder", [&] { return rules_of(*grid, shape); }));
  std::unique_ptr<Poll> poll;
  HLC_TRY(run_poll(communicator, *grid, shape, poll));

  // The first of the cheapest: where no order is better, that is the one without tiles.
  const auto orders_end = poll->sums.end() - 1;
  const auto best = std::min_element(poll->sums.begin(), orders_end);
  hlc_grid placed = poll->orders[static_cast<std::size_t>(best - poll->sums.begin())];
  take_block(placed, communicator.rank());
  hlc_placement found{poll->sums.back(), poll->sums.front(), *best, communicator.nodes(), {}};
  HLC_TRY(find_node_dims(communicator, placed, found.node_dims));
  *grid = placed;
  if (placement) *placement = found;
  return Status::ok;
}

}  // namespace halocline::core
