// Sorting the stakes of a node's ranks into bundles.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/bundles.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "exchange/buffers.hpp"

namespace halocline {
namespace {

/// What a rank of the node carries so far.
struct Load {
  int bundles = 0;
  std::int64_t bytes = 0;
};

/// Joins the stakes from `first` to before `end`, which are those in one node.
Bundle join(const Stake *first, const Stake *end, Member me) {
  Bundle bundle;
  bundle.node = first->node;
  for (const Stake *stake = first; stake != end; ++stake) {
    if (stake->member == me) bundle.first_edge = bundle.edges, bundle.my_place = bundle.planned;
    bundle.members.push_back(stake->member);
    bundle.edges += stake->edges;
    bundle.planned += stake->planned;
    bundle.out += stake->out;
    bundle.in += stake->in;
  }
  return bundle;
}

}  // namespace

std::int64_t head_bytes(const Bundle &bundle) {
  return round_up((1 + bundle.edges) * static_cast<std::int64_t>(sizeof(std::uint64_t)), kChunkAlignment);
}

bool lies_in_slot(const Bundle &bundle, std::uint64_t begin, std::int64_t bytes) {
  const std::int64_t end = slot_bytes(bundle, bundle.in);
  if (begin % kChunkAlignment != 0 || begin > static_cast<std::uint64_t>(end)) return false;
  return static_cast<std::int64_t>(begin) >= head_bytes(bundle) && bytes <= end - static_cast<std::int64_t>(begin);
}

std::int64_t slot_bytes(const Bundle &bundle, std::int64_t data) { return head_bytes(bundle) + data; }

std::int64_t bundle_bytes(const Bundle &bundle, std::int64_t words_bytes) {
  return words_bytes + kTargetHeadBytes + kNewsBytes + 2 * (slot_bytes(bundle, bundle.in) + slot_bytes(bundle, bundle.out));
}

std::vector<Stake> list_stakes(const Plan &plan, const std::vector<int> &edges, const std::vector<std::int64_t> &node_of) {
  std::map<std::int64_t, Stake> stakes;
  for (const int e : edges) {
    const Edge &edge = plan.edges[static_cast<std::size_t>(e)];
    const std::int64_t node = node_of[static_cast<std::size_t>(e)];
    Stake &stake = stakes[node];
    stake.node = node;
    stake.member = plan.context->member();
    stake.edges += 1;
    stake.planned += round_up(edge.out, kChunkAlignment);
    stake.out += round_up(edge.space_out, kChunkAlignment);
    stake.in += round_up(edge.space_in, kChunkAlignment);
  }
  std::vector<Stake> listed;
  listed.reserve(stakes.size());
  for (const auto &[node, stake] : stakes) listed.push_back(stake);
  return listed;
}

std::vector<Bundle> lay_out_bundles(std::vector<Stake> stakes, Member me, std::int64_t words_bytes) {
  std::sort(stakes.begin(), stakes.end(),
            [](const Stake &a, const Stake &b) { return std::tie(a.node, a.member) < std::tie(b.node, b.member); });
  std::vector<Bundle> mine;
  std::map<Member, Load> loads;
  for (auto first = stakes.begin(); first != stakes.end();) {
    const auto end = std::find_if(first, stakes.end(), [&](const Stake &stake) { return stake.node != first->node; });
    Bundle bundle = join(&*first, &*first + (end - first), me);
    bundle.carrier = *std::min_element(bundle.members.begin(), bundle.members.end(),
                                       [&](Member a, Member b) { return loads[a].bundles < loads[b].bundles; });
    Load &load = loads[bundle.carrier];
    bundle.place = load.bytes;
    load.bundles += 1;
    load.bytes += round_up(bundle_bytes(bundle, words_bytes), kLinePair);
    if (std::find(bundle.members.begin(), bundle.members.end(), me) != bundle.members.end()) mine.push_back(std::move(bundle));
    first = end;
  }
  return mine;
}

}  // namespace halocline
