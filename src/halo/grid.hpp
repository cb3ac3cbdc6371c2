// Block decompositions: which rank owns which cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include "base/status.hpp"
#include "engine/communicator/consistency.hpp"
#include "engine/communicator/topology.hpp"

namespace halocline::core {

/// Most cells along one dimension, and most halo cells on one side: their sums fit 64 bits.
inline constexpr std::int64_t kMostCells = INT64_MAX >> 8;

/// How a grid is to be split: the arguments of hlc_grid_create.
struct Split {
  int ndims;
  const std::int64_t *global;
  const int *dims, *periodic;
  hlc_layout order = HLC_LAYOUT_UNSET;
};

/// Splits a grid over the ranks of a context; call is the function of the API that asks.
Status create_grid(const Topology &topology, const char *call, const Split &split, hlc_grid *grid);

/// Fills in the place and the block of a rank, from the grid's ndims, dims, global, order, tile and dealt.
void take_block(hlc_grid &grid, int rank);

/// Whether order is one, and tile and dealt are what hlc_grid_reorder may have left; call is the function of the API that asks.
Status check_order(const hlc_grid &grid, const char *call, int rank, int size);

/// All ranks number themselves in one order.
Rule order_rule(const hlc_grid &grid);

/// The rank at coords, wrapped where periodic: see hlc_grid_rank.
int grid_rank(const hlc_grid &grid, const int *coords);

}  // namespace halocline::core
