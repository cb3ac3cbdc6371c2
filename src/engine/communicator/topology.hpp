// The position of this rank: ranks, nodes and cores as plain numbers, constant for the life of a communicator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace halocline::core {

using transport::Member;

/// The member number of a rank of another node.
inline constexpr Member kNotOnNode = -1;

/// Ranks, nodes and cores.
class Topology {
 public:
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// This rank's number among those of its node, and the number of those.
  Member member() const { return member_; }
  int members() const { return members_; }
  /// The node of this rank, and the number of nodes, real or emulated.
  int node() const { return node_; }
  int nodes() const { return nodes_; }
  /// Cores that the ranks of the node may run on.
  int cores() const { return cores_; }
  /// True if every rank of the node can have a core of its own.
  bool core_per_rank() const { return cores_ >= members_; }
  /// Ranks per core of this host, of the cores that any of them may run on; below 1 if cores are left. Emulated nodes share them.
  double ranks_per_core() const { return static_cast<double>(of_host_) / cores_of_host_; }
  /// True if all ranks run on this host, even if it emulates several nodes.
  bool one_host() const { return one_host_; }
  /// Time limit of a wait in nanoseconds; 0: none.
  std::int64_t timeout_ns() const { return timeout_ns_; }
  /// From now on waits end for lost ranks alone.
  void wait_without_limit() { timeout_ns_ = 0; }
  /// A rank's number in MPI_COMM_WORLD, by which traces name it; where nothing is traced, the number that it has here.
  int in_world(int rank) const { return world_.empty() || rank < 0 ? rank : world_[static_cast<std::size_t>(rank)]; }
  void number_in_world(std::vector<int> numbers) { world_ = std::move(numbers); }
  /// The number of the context in traces, the same on all of its ranks; 0 where nothing is traced.
  std::int64_t number() const { return number_; }
  void set_number(std::int64_t number) { number_ = number; }

 protected:
  int rank_ = 0, size_ = 1, node_ = 0, nodes_ = 1, members_ = 1, of_host_ = 1, cores_ = 1;
  Member member_ = 0;
  std::int64_t timeout_ns_ = 0;
  bool one_host_ = true;
  int cores_of_host_ = 1;

 private:
  std::vector<int> world_;  // by rank; empty if nothing is traced
  std::int64_t number_ = 0;
};

}  // namespace halocline::core
