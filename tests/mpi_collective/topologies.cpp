// The order of blocks is worked out here from coordinates and lists alone (MPI 4.1, section 8.6).
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_collective/topologies.hpp"

#include <algorithm>

namespace random_neighbor {
namespace {

using random_rma::chance;
using random_rma::pick;

std::vector<int> coordinates_of(const std::vector<int> &dims, int rank) {
  std::vector<int> at(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d]) at[d] = rank % dims[d];
  return at;
}

int rank_at(const std::vector<int> &dims, const std::vector<int> &at) {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) rank = rank * dims[d] + at[d];
  return rank;
}

/// The rank one step further; -1 if the grid ends there.
int step(const Topology &topology, int rank, std::size_t d, int direction) {
  std::vector<int> at = coordinates_of(topology.dims, rank);
  at[d] += direction;
  if (!topology.periods[d] && (at[d] < 0 || at[d] >= topology.dims[d])) return -1;
  at[d] = (at[d] + topology.dims[d]) % topology.dims[d];
  return rank_at(topology.dims, at);
}

/// What goes down arrives from above.
void join_cartesian(Topology &topology, int ranks) {
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t d = 0; d < topology.dims.size(); ++d)
      for (const int direction : {-1, 1}) {
        const int other = step(topology, rank, d, direction);
        const int opposite = static_cast<int>(2 * d) + (direction < 0 ? 1 : 0);
        const End end = other < 0 ? End{} : End{other, opposite};
        topology.out[static_cast<std::size_t>(rank)].push_back(end);
        topology.in[static_cast<std::size_t>(rank)].push_back(end);
      }
}

void random_grid(Random &random, Topology &topology, int ranks, int shortest_period) {
  int left = ranks;
  while (left > 1 && topology.dims.size() < 3) {
    int part = static_cast<int>(pick(random, 1, left));
    while (left % part != 0) --part;
    if (topology.dims.size() == 2) part = left;
    topology.dims.push_back(part);
    left /= part;
  }
  if (topology.dims.empty() || chance(random, 30)) topology.dims.push_back(1);
  if (left > 1) topology.dims.push_back(left);
  for (std::size_t d = 0; d < topology.dims.size(); ++d)
    topology.periods.push_back(chance(random, 70) && topology.dims[d] >= shortest_period ? 1 : 0);
  join_cartesian(topology, ranks);
}

/// The j-th edge from one rank to another is the j-th from that rank in the other's list.
void join_lists(Topology &topology, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    const auto &targets = topology.targets[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto before = std::count(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(i), targets[i]);
      const auto &sources = topology.sources[static_cast<std::size_t>(targets[i])];
      std::ptrdiff_t seen = 0;
      for (std::size_t j = 0; j < sources.size(); ++j) {
        if (sources[j] != rank || seen++ != before) continue;
        topology.out[static_cast<std::size_t>(rank)].push_back({targets[i], static_cast<int>(j)});
        topology.in[static_cast<std::size_t>(targets[i])][j] = {rank, static_cast<int>(i)};
      }
    }
  }
}

void random_edges(Random &random, Topology &topology, int ranks) {
  const bool both_ways = topology.kind == Topology::Kind::graph;
  const std::int64_t edges = pick(random, 0, 3 * ranks);
  for (std::int64_t i = 0; i < edges; ++i) {
    const auto a = static_cast<std::size_t>(pick(random, 0, ranks - 1)), b = static_cast<std::size_t>(pick(random, 0, ranks - 1));
    topology.targets[a].push_back(static_cast<int>(b));
    topology.sources[b].push_back(static_cast<int>(a));
    if (!both_ways || a == b) continue;
    topology.targets[b].push_back(static_cast<int>(a));
    topology.sources[a].push_back(static_cast<int>(b));
  }
  for (std::size_t rank = 0; rank < topology.sources.size(); ++rank) {
    auto &sources = topology.sources[rank];
    if (both_ways) sources = topology.targets[rank];
    if (!both_ways) std::shuffle(sources.begin(), sources.end(), random);
    topology.in[rank].resize(sources.size());
  }
  join_lists(topology, ranks);
}

MPI_Comm make_graph(const Topology &topology) {
  std::vector<int> index, edges;
  for (const auto &targets : topology.targets) {
    edges.insert(edges.end(), targets.begin(), targets.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  edges.push_back(0);  // some MPIs refuse an empty list
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, static_cast<int>(index.size()), index.data(), edges.data(), 0, &comm);
  return comm;
}

MPI_Comm make_dist_graph(const Topology &topology) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> sources = topology.sources[static_cast<std::size_t>(rank)], targets = topology.targets[static_cast<std::size_t>(rank)];
  const auto in = static_cast<int>(sources.size()), out = static_cast<int>(targets.size());
  sources.push_back(0), targets.push_back(0);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources.data(), MPI_UNWEIGHTED, out, targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  return comm;
}

}  // namespace

Topology random_topology(Random &random, int ranks, int shortest_period) {
  Topology topology;
  topology.kind = static_cast<Topology::Kind>(pick(random, 0, 2));
  for (auto *ends : {&topology.out, &topology.in}) ends->resize(static_cast<std::size_t>(ranks));
  for (auto *list : {&topology.targets, &topology.sources}) list->resize(static_cast<std::size_t>(ranks));
  if (topology.kind == Topology::Kind::cartesian)
    random_grid(random, topology, ranks, shortest_period);
  else
    random_edges(random, topology, ranks);
  return topology;
}

MPI_Comm make_comm(const Topology &topology) {
  if (topology.kind == Topology::Kind::graph) return make_graph(topology);
  if (topology.kind == Topology::Kind::dist_graph) return make_dist_graph(topology);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(topology.dims.size()), topology.dims.data(), topology.periods.data(), 0, &comm);
  return comm;
}

}  // namespace random_neighbor
