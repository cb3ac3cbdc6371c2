// Which rank has which place in a process grid, so that neighbours share a node: orders to choose from, and what each costs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <vector>

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

/// The orders in which ranks can fill a process grid: first without tiles, then with each tiling into equal tiles. Each tiling is listed
/// twice: for ranks numbered node by node, and for ranks dealt to the nodes in turn. take_block fills in coords, start and local.
std::vector<hlc_grid> list_orders(const hlc_grid &grid, int nodes);

/// Bytes that the ranks send in one swap.
struct SwapBytes {
  std::int64_t all = 0, between_nodes = 0;
};

/// What one rank sends in a swap if the ranks fill the grid in its order. node_of has each rank's node; shape is from fill_in_shape.
SwapBytes count_bytes(hlc_grid grid, const hlc_swap_shape &shape, const int *node_of, int rank);

/// A shape whose zeros are replaced by what they stand for.
hlc_swap_shape fill_in_shape(const hlc_swap_shape *shape);

/// Gives the ranks the best of these orders: see hlc_grid_reorder.
Status reorder_grid(Communicator &communicator, const hlc_swap_shape *shape, hlc_grid *grid, hlc_placement *placement);

}  // namespace halocline::core
