// The cores of the nodes, where ranks share them: a rank that waits gives its core to the one that has been ready longest.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine.hpp"

#include <deque>
#include <utility>
#include <vector>

namespace simulate {

class Cores {
 public:
  /// Ranks that begin to run, and when.
  using Starts = std::vector<std::pair<int, double>>;

  Cores(const Machine &machine, int ranks)
      : machine_(machine), shared_(machine.node.cores > 0 && machine.node.cores < machine.network.ranks_per_node) {
    if (!shared_) return;
    nodes_.resize(static_cast<std::size_t>(machine.node_of(ranks - 1)) + 1, {machine.node.cores, {}});
    held_.resize(static_cast<std::size_t>(ranks), false);
  }

  bool shared() const { return shared_; }
  /// Whether the rank has a core while it waits.
  bool holds(int rank) const { return shared_ && held_[static_cast<std::size_t>(rank)]; }

  /// The rank is ready to run.
  Starts want(int rank, double now) {
    if (!shared_) return {{rank, now}};
    Node &node = nodes_[static_cast<std::size_t>(machine_.node_of(rank))];
    node.ready.push_back(rank);
    return begin(node, now);
  }

  /// The rank waits, and its core is free.
  Starts give_back(int rank, double now) {
    if (!holds(rank)) return {};
    held_[static_cast<std::size_t>(rank)] = false;
    Node &node = nodes_[static_cast<std::size_t>(machine_.node_of(rank))];
    node.free += 1;
    return begin(node, now);
  }

 private:
  struct Node {
    int free = 0;
    std::deque<int> ready;
  };

  Starts begin(Node &node, double now) {
    Starts starts;
    for (; node.free > 0 && !node.ready.empty(); --node.free) {
      starts.emplace_back(node.ready.front(), now + machine_.node.switch_us);
      held_[static_cast<std::size_t>(node.ready.front())] = true;
      node.ready.pop_front();
    }
    return starts;
  }

  const Machine &machine_;
  const bool shared_;
  std::vector<Node> nodes_;
  std::vector<bool> held_;
};

}  // namespace simulate
