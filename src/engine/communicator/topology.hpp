// Where this rank stands: plain numbers, the same for the whole life of a communicator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transport/transport.hpp"

namespace halocline {

using transport::Member;

/// The member that stands for a rank of another node.
inline constexpr Member kNotOnNode = -1;

/// Ranks, nodes and cores.
class Topology {
 public:
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// This rank among those of its node, and how many those are.
  Member member() const { return member_; }
  int members() const { return members_; }
  /// The node of this rank, and how many nodes there are, be they real or pretended.
  int node() const { return node_; }
  int nodes() const { return nodes_; }
  /// Cores that the ranks of the node may run on.
  int cores() const { return cores_; }
  /// True if every rank of the node can have a core of its own.
  bool core_per_rank() const { return cores_ >= members_; }
  /// True if all ranks run on this host, be its nodes real or pretended.
  bool one_host() const { return one_host_; }
  /// Nanoseconds that a wait may last; 0: for ever.
  std::int64_t timeout_ns() const { return timeout_ns_; }

 protected:
  int rank_ = 0, size_ = 1, node_ = 0, nodes_ = 1, members_ = 1, cores_ = 1;
  Member member_ = 0;
  std::int64_t timeout_ns_ = 0;
  bool one_host_ = true;
};

}  // namespace halocline
