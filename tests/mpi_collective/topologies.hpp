// Random topologies whose edges are known without MPI: which block of which rank becomes which block of another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi_rma/random_types.hpp"

namespace random_neighbor {

using random_rma::Random;

/// A block: of a rank, the number of its edge. rank -1: there is none.
struct End {
  int rank = -1;
  int block = -1;
};

/// For each rank, the other end of each of its blocks, in their order.
struct Topology {
  enum class Kind { cartesian, graph, dist_graph };

  Kind kind = Kind::cartesian;
  std::vector<int> dims, periods;
  std::vector<std::vector<int>> targets, sources;  // of graphs: as they are passed to MPI
  std::vector<std::vector<End>> out, in;
};

/// The same on all ranks that have the same random numbers. No dimension of fewer ranks than `shortest_period` is periodic.
Topology random_topology(Random &random, int ranks, int shortest_period);

/// The communicator of MPI_COMM_WORLD's ranks with that topology, in the same order.
MPI_Comm make_comm(const Topology &topology);

}  // namespace random_neighbor
