// The edges of Cartesian, graph and distributed graph topologies.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/pattern.hpp"

#include <algorithm>

namespace halocline::core::mpi {
namespace {

int topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, joins = 0;
  if (PMPI_Comm_test_inter(comm, &joins) != MPI_SUCCESS || joins) return MPI_UNDEFINED;
  return PMPI_Topo_test(comm, &kind) == MPI_SUCCESS ? kind : MPI_UNDEFINED;
}

/// Block 2d goes to the rank below in dimension d, whose block 2d + 1 it becomes.
int read_cartesian(MPI_Comm comm, Pattern *pattern) {
  int dimensions = 0;
  if (const int code = PMPI_Cartdim_get(comm, &dimensions)) return code;
  for (int d = 0; d < dimensions; ++d) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    if (const int code = PMPI_Cart_shift(comm, d, 1, &below, &above)) return code;
    pattern->out.push_back({below, 2 * d, 0});
    pattern->out.push_back({above, 2 * d + 1, 0});
    pattern->in.push_back({below, 2 * d + 1, 0});
    pattern->in.push_back({above, 2 * d, 0});
  }
  return MPI_SUCCESS;
}

/// Of several edges between two ranks the first outgoing one is the first incoming one, and so on.
std::vector<EdgeEnd> edges_to(const std::vector<int> &ranks) {
  std::vector<EdgeEnd> edges;
  std::vector<int> seen;
  for (const int rank : ranks) {
    edges.push_back({rank, static_cast<int>(std::count(seen.begin(), seen.end(), rank)), 0});
    seen.push_back(rank);
  }
  return edges;
}

int read_graph(MPI_Comm comm, Pattern *pattern) {
  int rank = 0, count = 0;
  PMPI_Comm_rank(comm, &rank);
  if (const int code = PMPI_Graph_neighbors_count(comm, rank, &count)) return code;
  std::vector<int> ranks(static_cast<std::size_t>(count));
  if (const int code = PMPI_Graph_neighbors(comm, rank, count, ranks.data())) return code;
  pattern->out = pattern->in = edges_to(ranks);
  return MPI_SUCCESS;
}

int read_dist_graph(MPI_Comm comm, Pattern *pattern) {
  int in = 0, out = 0, weighted = 0;
  if (const int code = PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted)) return code;
  // One element more: some MPIs refuse null pointers.
  std::vector<int> sources(static_cast<std::size_t>(in) + 1), weights_in(sources.size());
  std::vector<int> targets(static_cast<std::size_t>(out) + 1), weights_out(targets.size());
  if (const int code = PMPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? weights_in.data() : MPI_UNWEIGHTED, out,
                                                 targets.data(), weighted ? weights_out.data() : MPI_UNWEIGHTED))
    return code;
  sources.resize(static_cast<std::size_t>(in)), targets.resize(static_cast<std::size_t>(out));
  pattern->in = edges_to(sources);
  pattern->out = edges_to(targets);
  return MPI_SUCCESS;
}

}  // namespace

bool has_topology(MPI_Comm comm) { return topology_of(comm) != MPI_UNDEFINED; }

int read_topology(MPI_Comm comm, Pattern *pattern) {
  switch (topology_of(comm)) {
    case MPI_CART: return read_cartesian(comm, pattern);
    case MPI_GRAPH: return read_graph(comm, pattern);
    case MPI_DIST_GRAPH: return read_dist_graph(comm, pattern);
    default: return MPI_ERR_TOPOLOGY;
  }
}

}  // namespace halocline::core::mpi
