// Sorts the contributions of a node's ranks into aggregates.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/aggregates.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "exchange/buffers.hpp"

namespace halocline::core {
namespace {

/// What a rank of the node leads so far.
struct Load {
  int aggregates = 0;
  std::int64_t bytes = 0;
};

/// Joins the contributions from `first` to before `end`, which are all those for one other node.
Aggregate join(const Contribution *first, const Contribution *end, Member me) {
  Aggregate aggregate;
  aggregate.node = first->node;
  for (const Contribution *contribution = first; contribution != end; ++contribution) {
    if (contribution->member == me) aggregate.first_edge = aggregate.edges, aggregate.my_place = aggregate.planned;
    aggregate.members.push_back(contribution->member);
    aggregate.edges += contribution->edges;
    aggregate.planned += contribution->planned;
    aggregate.out += contribution->out;
    aggregate.in += contribution->in;
  }
  return aggregate;
}

}  // namespace

std::int64_t head_bytes(const Aggregate &aggregate) {
  return round_up((1 + aggregate.edges) * static_cast<std::int64_t>(sizeof(std::uint64_t)), kChunkAlignment);
}

bool lies_in_slot(const Aggregate &aggregate, std::uint64_t begin, std::int64_t bytes) {
  const std::int64_t end = slot_bytes(aggregate, aggregate.in);
  if (begin % kChunkAlignment != 0 || begin > static_cast<std::uint64_t>(end)) return false;
  return static_cast<std::int64_t>(begin) >= head_bytes(aggregate) && bytes <= end - static_cast<std::int64_t>(begin);
}

std::int64_t slot_bytes(const Aggregate &aggregate, std::int64_t data) { return head_bytes(aggregate) + data; }

std::int64_t aggregate_bytes(const Aggregate &aggregate, std::int64_t words_bytes) {
  return words_bytes + kTargetHeadBytes + kNoticeBytes + 2 * (slot_bytes(aggregate, aggregate.in) + slot_bytes(aggregate, aggregate.out));
}

std::vector<Contribution> list_contributions(const Plan &plan, const std::vector<int> &edges, const std::vector<std::int64_t> &node_of) {
  std::map<std::int64_t, Contribution> contributions;
  for (const int e : edges) {
    const Edge &edge = plan.edges[static_cast<std::size_t>(e)];
    const std::int64_t node = node_of[static_cast<std::size_t>(e)];
    Contribution &contribution = contributions[node];
    contribution.node = node;
    contribution.member = plan.topology->member();
    contribution.edges += 1;
    contribution.planned += round_up(edge.out, kChunkAlignment);
    contribution.out += round_up(edge.space_out, kChunkAlignment);
    contribution.in += round_up(edge.space_in, kChunkAlignment);
  }
  std::vector<Contribution> listed;
  listed.reserve(contributions.size());
  for (const auto &[node, contribution] : contributions) listed.push_back(contribution);
  return listed;
}

std::vector<Aggregate> lay_out_aggregates(std::vector<Contribution> contributions, Member me, std::int64_t words_bytes) {
  std::sort(contributions.begin(), contributions.end(),
            [](const Contribution &a, const Contribution &b) { return std::tie(a.node, a.member) < std::tie(b.node, b.member); });
  std::vector<Aggregate> mine;
  std::map<Member, Load> loads;
  for (auto first = contributions.begin(); first != contributions.end();) {
    const auto end =
        std::find_if(first, contributions.end(), [&](const Contribution &contribution) { return contribution.node != first->node; });
    Aggregate aggregate = join(&*first, &*first + (end - first), me);
    aggregate.leader = *std::min_element(aggregate.members.begin(), aggregate.members.end(),
                                         [&](Member a, Member b) { return loads[a].aggregates < loads[b].aggregates; });
    Load &load = loads[aggregate.leader];
    aggregate.place = load.bytes;
    load.aggregates += 1;
    load.bytes += round_up(aggregate_bytes(aggregate, words_bytes), kLinePair);
    if (std::find(aggregate.members.begin(), aggregate.members.end(), me) != aggregate.members.end()) mine.push_back(std::move(aggregate));
    first = end;
  }
  return mine;
}

}  // namespace halocline::core
