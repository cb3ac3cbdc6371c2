// Few elements. Before a rank begins the second run from here, it has seen all others in the next one. So two slots would be enough.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/few.hpp"

#include <cstring>

#include "base/counter.hpp"

namespace halocline::core {

FewOnOneNode::FewOnOneNode(const ReducePlan &plan, NodeRanks &ranks)
    : plan_(plan), ranks_(ranks), sources_(static_cast<std::size_t>(ranks.members())) {}

Status FewOnOneNode::run(RunArrays arrays) {
  const std::int64_t slot = plan_.layout.given_at(static_cast<std::int64_t>(runs_++), 0);
  std::memcpy(ranks_.part(ranks_.me()) + slot, arrays.in, static_cast<std::size_t>(plan_.cut.bytes()));
  // SYNC given-before-combined (pairs with await_all)
  ranks_.publish(ranks_.words(ranks_.me()).given, runs_);
  HLC_TRY(ranks_.await_all(&Milestones::given, runs_));
  for (Member member = 0; member < ranks_.members(); ++member) sources_[static_cast<std::size_t>(member)] = ranks_.part(member) + slot;
  plan_.combiner.fold(arrays.out, sources_.data(), ranks_.members(), plan_.cut.count);
  return Status::ok;
}

FewOnNodes::FewOnNodes(const ReducePlan &plan, NodeRanks &ranks, Ring &ring, const Topology &topology)
    : plan_(plan),
      ranks_(ranks),
      ring_(ring),
      node_(topology.node()),
      stride_(pack_stride(plan.cut.bytes())),
      sources_(static_cast<std::size_t>(topology.size())) {}

Status FewOnNodes::run(RunArrays arrays) {
  const auto turn = static_cast<std::int64_t>(runs_++);
  std::memcpy(ranks_.part(ranks_.me()) + plan_.layout.given_at(turn, 0), arrays.in, static_cast<std::size_t>(plan_.cut.bytes()));
  // SYNC given-before-combined (pairs with gather)
  ranks_.publish(ranks_.words(ranks_.me()).given, runs_);
  if (ranks_.me() == 0) {
    HLC_TRY(gather(turn));
    // SYNC worked-before-taken (pairs with the others of the node)
    ranks_.publish(ranks_.words(0).worked, runs_);
  } else {
    // SYNC worked-before-taken (pairs with the first rank)
    HLC_TRY(ranks_.await([&] { return reached(ranks_.words(0).worked, runs_); }, -1));
  }
  combine(turn, arrays.out);
  // SYNC taken-before-worked-anew (pairs with gather)
  ranks_.publish(ranks_.words(ranks_.me()).taken, runs_);
  return ranks_.await_quiet();
}

/// The first rank packs the elements of its node, and gets the packs of all others.
Status FewOnNodes::gather(std::int64_t turn) {
  const std::int64_t given = plan_.layout.given_at(turn, 0);
  // SYNC given-before-combined (pairs with run)
  HLC_TRY(ranks_.await_all(&Milestones::given, runs_));
  // SYNC taken-before-worked-anew (pairs with run)
  if (turn >= Layout::kPackTurns) HLC_TRY(ranks_.await_all(&Milestones::taken, runs_ - Layout::kPackTurns));
  for (Member member = 0; member < ranks_.members(); ++member)
    std::memcpy(pack(turn, 0) + member * stride_, ranks_.part(member) + given, static_cast<std::size_t>(plan_.cut.bytes()));
  for (int step = 0; step < ring_.lanes(); ++step) HLC_TRY(swap_packs(turn, step));
  return Status::ok;
}

/// In step s this node sends all packs that it has, or that are still missing, to the node 2^s after. It receives as many from the node 2^s
/// before.
Status FewOnNodes::swap_packs(std::int64_t turn, int step) {
  const std::int64_t bytes = packs_of_step(plan_.cut.nodes, step) * plan_.layout.pack_bytes;
  HLC_TRY(ranks_.await([&] { return ring_.has_room(step); }, ring_.after(step)));
  ring_.send(step, static_cast<int>(turn % Layout::kPackTurns), bytes);
  ring_.expect(step, bytes);
  HLC_TRY(ranks_.await([&] { return ring_.has_arrived(step); }, ring_.before(step)));
  std::memcpy(pack(turn, 1 << step), ring_.incoming(step), static_cast<std::size_t>(bytes));
  ring_.release(step);
  return Status::ok;
}

/// Part p begins with the elements of node p, as in reductions of many elements.
void FewOnNodes::combine(std::int64_t turn, char *out) {
  const Cut &cut = plan_.cut;
  for (int p = 0; p < cut.nodes; ++p) {
    const Range range = cut.part(p);
    int n = 0;
    for (int node = p; node < p + cut.nodes; ++node) {
      const char *elements = pack(turn, (node_ - node + 2 * cut.nodes) % cut.nodes) + cut.offset(range);
      for (Member member = 0; member < ring_.ranks_on(node % cut.nodes); ++member)
        sources_[static_cast<std::size_t>(n++)] = elements + member * stride_;
    }
    plan_.combiner.fold(out + cut.offset(range), sources_.data(), n, range.count);
  }
}

/// In a run, the pack of the node that is `before` nodes before mine.
char *FewOnNodes::pack(std::int64_t turn, int before) const {
  const Layout &layout = plan_.layout;
  return ranks_.part(0) + layout.result_at(0, static_cast<int>(turn % Layout::kPackTurns), 0) + before * layout.pack_bytes;
}

}  // namespace halocline::core
