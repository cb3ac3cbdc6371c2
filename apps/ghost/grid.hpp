// Where this rank's block lies in the grid, and who stands around it: which neighbours share its node's memory and which do not.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "index.hpp"
#include "options.hpp"

#include <common/comm.hpp>
#include <halocline/halocline.hpp>

#include <vector>

namespace ghost {

/// Where a neighbour is: beyond an open side there is none; a periodic dimension of one rank leads back to the rank itself.
enum class Where { nowhere, self, same_node, other_node };

struct Neighbour {
  Where where = Where::nowhere;
  int rank = -1;       ///< in MPI_COMM_WORLD
  int node_rank = -1;  ///< among the ranks of its node
  Index cells{};       ///< of its block
};

class Grid {
 public:
  /// Collective. Throws halocline::Error if no split gives each rank a cell.
  Grid(const halocline::Context &context, const Options &options);

  hlc_context_info_t info;  ///< rank, size, nodes (pretended ones, if so asked), cores
  std::array<int, 3> ranks{};
  Index global{}, start{}, cells{};
  std::array<Neighbour, kDirections> neighbours{};  ///< by number of the direction; those that the stencil does not read are nowhere
  common::Comm node;                                ///< the ranks of this node, as the library sees nodes
  std::vector<int> node_ranks;                      ///< their ranks in MPI_COMM_WORLD
  bool core_per_rank = false;

 private:
  void find_neighbours(const hlc_grid &grid, const Options &options);
};

}  // namespace ghost
