// Which ranks of this node exchange data with which other nodes, and the layout of the memory for that. Every rank of the node computes it
// from the same contributions, with the same result. Numbers only; mode notify_node (node_wire.cpp) does the rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/channel.hpp"

namespace halocline::core {

/// What one rank of this node exchanges with all ranks of one other node. Plain numbers, for shared memory.
struct Contribution {
  std::int64_t node = 0;  // the other node
  std::int64_t edges = 0;  // 0: no contribution, a list ends here
  std::int64_t planned = 0;  // bytes that go out, each edge's rounded up to whole chunks
  std::int64_t out = 0, in = 0;  // the same of the largest round, in each direction
  Member member = 0;  // the contributing rank
};

/// All that this node exchanges with one other node.
struct Aggregate {
  std::int64_t node = 0;
  std::vector<Member> members;  // ranks of this node with a contribution in it; in order
  Member leader = 0;  // the rank that holds its memory and receives its notifications
  std::int64_t place = 0;  // where that memory begins in the leader's part
  std::int64_t edges = 0, planned = 0, out = 0, in = 0;
  std::int64_t my_place = 0;  // where my data begin in a round as planned, behind the head
  std::int64_t first_edge = 0;  // my edges have the numbers from here on, in the order of my list
};

///    slot:  | how many further pieces have been sent, of all rounds of this slot | per edge: where its data begin | data |
/// The bytes before the data.
std::int64_t head_bytes(const Aggregate &aggregate);
/// Whether `bytes` bytes at `begin` of a received slot are behind its head and within the slot. `begin` was received, so it may be any
/// number.
bool lies_in_slot(const Aggregate &aggregate, std::uint64_t begin, std::int64_t bytes);
/// Bytes of a whole slot.
std::int64_t slot_bytes(const Aggregate &aggregate, std::int64_t data);

///    memory:  | words | target | slots to receive in: 0, 1 | notice | slots to send from: 0, 1 |
/// Peers write their greeting, which only tests the connection, and their notice of a lost rank to the target. Own notices are sent from
/// `notice`.
inline constexpr std::int64_t kTargetHeadBytes = 64, kNoticeBytes = 64;
std::int64_t aggregate_bytes(const Aggregate &aggregate, std::int64_t words_bytes);

/// The contributions of one rank, in order of nodes. node_of[e] is the node at the other end of edge e.
std::vector<Contribution> list_contributions(const Plan &plan, const std::vector<int> &edges, const std::vector<std::int64_t> &node_of);

/// The aggregates in which `me` has a contribution, in order of nodes, from the contributions of all members of the node. Each aggregate's
/// leader is the member that leads the fewest so far. words_bytes: of each aggregate.
std::vector<Aggregate> lay_out_aggregates(std::vector<Contribution> contributions, Member me, std::int64_t words_bytes);

}  // namespace halocline::core
