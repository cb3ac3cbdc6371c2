// SPDX-License-Identifier: BSD-3-Clause
#include "node_swap.hpp"

#include <algorithm>
#include <set>

namespace simulate {

NodeSwap::NodeSwap(const Pattern &pattern, const Machine &machine) : machine_(machine) {
  for (int rank = 0; rank < static_cast<int>(pattern.size()); ++rank)
    for (const Link &link : pattern[static_cast<std::size_t>(rank)]) {
      if (machine.same_node(rank, link.peer)) continue;
      Aggregate &aggregate = aggregates_[{machine.node_of(rank), machine.node_of(link.peer)}];
      aggregate.bytes += link.bytes;
      add(aggregate.from, rank);
      add(aggregate.to, link.peer);
    }
  for (auto &[nodes, aggregate] : aggregates_) {
    aggregate.number = static_cast<int>(groups_.size());
    groups_.push_back(aggregate.to);
    by_leader_[aggregate.leader()].push_back(&aggregate);
  }
}

void NodeSwap::add(std::vector<int> &ranks, int rank) {
  if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
}

/// The aggregates that this rank sends, when all have packed.
void NodeSwap::send_led(Writer &w) const {
  const auto led = by_leader_.find(w.rank());
  if (led == by_leader_.end()) return;
  int others = 0;
  for (const Aggregate *one : led->second) others += static_cast<int>(one->from.size()) - 1;
  w.script().wait(kPacked, others);
  for (const Aggregate *one : led->second) {
    w.script().work(machine_.network.overhead_us);
    w.script().send({one->to.front(), kReady, one->bytes, 0, kNone, Way::put, 0, one->number});
  }
}

void NodeSwap::write(Writer &w, const std::vector<Link> &links) const {
  int near = 0;
  double far_bytes = 0;
  std::set<int> nodes;
  for (const Link &link : links) {
    if (link.peer == w.rank()) {
      w.copy(link.bytes);
    } else if (w.near(link.peer)) {
      w.store(link.peer, kData, machine_.copy_us(link.bytes));
      near += 1;
    } else {
      w.pack(link.bytes);
      far_bytes += link.bytes;
      nodes.insert(machine_.node_of(link.peer));
    }
  }
  for (const int node : nodes) {
    const int leader = aggregates_.at({machine_.node_of(w.rank()), node}).leader();
    if (leader != w.rank()) w.store(leader, kPacked);
  }
  send_led(w);
  w.script().take(kData, near);
  for (const Link &link : links)
    if (link.peer != w.rank() && w.near(link.peer)) w.store(link.peer, kRead);
  w.script().wait(kReady, static_cast<int>(nodes.size()));
  w.pack(far_bytes);
  w.script().wait(kRead, near);
}

}  // namespace simulate
