// Mode notify_node: one write from a node to another for all its ranks, with one notification that all of them see.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "writer.hpp"

#include <map>
#include <utility>

namespace simulate {

class NodeSwap {
 public:
  NodeSwap(const Pattern &pattern, const Machine &machine);

  /// A rank's swap.
  void write(Writer &writer, const std::vector<Link> &links) const;
  /// The ranks of a node that an aggregate is for, by the number of the aggregate.
  const std::vector<std::vector<int>> &groups() const { return groups_; }

 private:
  /// What the ranks of one node have for another one. The real mode lets the last rank that has packed send it; here it is always the same
  /// rank, which waits for the others.
  struct Aggregate {
    int number = 0;
    double bytes = 0;
    std::vector<int> from, to;  ///< ranks, each once
    int leader() const { return from[static_cast<std::size_t>(number) % from.size()]; }
  };
  using Nodes = std::pair<int, int>;

  static void add(std::vector<int> &ranks, int rank);
  void send_led(Writer &writer) const;

  const Machine &machine_;
  std::map<Nodes, Aggregate> aggregates_;
  std::map<int, std::vector<const Aggregate *>> by_leader_;
  std::vector<std::vector<int>> groups_;
};

}  // namespace simulate
