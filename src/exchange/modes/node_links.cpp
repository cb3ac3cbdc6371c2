// Lays out the aggregates, makes and registers the node's memory, and resolves the leaders of other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/node_links.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

NodeLinks::NodeLinks(Plan &plan, const std::vector<int> &edges)
    : plan_(plan), edges_(edges), network_(*plan.network), made_(std::make_unique<Made>(network_)) {}

NodeLinks::~NodeLinks() {
  made_->channels.leave();
  if (!made_->channels.is_ended()) leak(std::move(made_));
}

Status NodeLinks::create() {
  std::unique_ptr<Descriptors> nodes;
  HLC_TRY(prepare([&] {
    nodes = std::make_unique<Descriptors>(plan_, edges_);
    for (const int e : edges_) nodes->mine[static_cast<std::size_t>(e)].a = plan_.topology->node();
    return Status::ok;
  }));
  HLC_TRY(swap_descriptors(plan_, edges_, nodes));
  HLC_TRY(share_contributions(*nodes));
  HLC_TRY(agree(*plan_.communicator, plan_.comm, create_shared_memory(*plan_.communicator, carried_bytes(), made_->memory)));
  HLC_TRY(prepare([&] { return made_->channels.name_me(open_all()); }));
  std::unique_ptr<DescriptorsOf<NodeDescriptor>> descriptors;
  HLC_TRY(prepare([&] {
    descriptors = write_descriptors();
    return Status::ok;
  }));
  HLC_TRY(swap_descriptors(plan_, edges_, descriptors));
  HLC_TRY(prepare([&] { return made_->channels.name_me(connect_all(descriptors->theirs)); }));
  const WakeUp wake_up = network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling;
  return prepare([&] { return made_->channels.await_greetings(wake_up); });
}

/// The other nodes may still write, and the provider knows the memory by its addresses. But no rank reads what they write. So private
/// memory may be mapped at these addresses, once no transfer that is under way reads from them.
void NodeLinks::abandon() {
  made_->channels.withdraw();
  if (made_->channels.is_ended()) made_->memory.abandon();
}

std::int64_t NodeLinks::memory_bytes() const {
  std::int64_t bytes = carried_bytes() + static_cast<std::int64_t>(edge_links_.size() * sizeof(EdgeLink));
  return bytes + static_cast<std::int64_t>(all().size() * sizeof(Link)) + made_->channels.memory_bytes();
}

/// The memory that this rank provides: its words and the aggregates that it leads.
std::int64_t NodeLinks::carried_bytes() const {
  std::int64_t bytes = 0;
  for (const Link &link : all())
    if (is_leader(link)) bytes = std::max(bytes, link.aggregate.place + aggregate_bytes(link.aggregate, sizeof(AggregateWords)));
  return static_cast<std::int64_t>(sizeof(NodeWords)) + bytes;
}

/// The ranks of the node read each other's contributions from temporary shared memory; each computes the same aggregates.
Status NodeLinks::share_contributions(const Descriptors &nodes) {
  std::vector<std::int64_t> node_of;
  std::vector<Contribution> mine;
  HLC_TRY(prepare([&] {
    for (const Descriptor &descriptor : nodes.theirs) node_of.push_back(descriptor.a);
    mine = list_contributions(plan_, edges_, node_of);
    mine.emplace_back();
    return Status::ok;
  }));
  SharedMemory contributions;
  const std::size_t bytes = mine.size() * sizeof(Contribution);
  HLC_TRY(
      agree(*plan_.communicator, plan_.comm, create_shared_memory(*plan_.communicator, static_cast<std::int64_t>(bytes), contributions)));
  std::memcpy(contributions.part(plan_.topology->member()), mine.data(), bytes);
  HLC_TRY(agree(*plan_.communicator, plan_.comm, Status::ok));
  return prepare([&] {
    std::vector<Contribution> all;
    for (Member member = 0; member < plan_.topology->members(); ++member)
      for (const auto *contribution = reinterpret_cast<const Contribution *>(contributions.part(member)); contribution->edges > 0;
           ++contribution)
        all.push_back(*contribution);
    take(lay_out_aggregates(std::move(all), plan_.topology->member(), sizeof(AggregateWords)), node_of);
    return Status::ok;
  });
}

void NodeLinks::take(std::vector<Aggregate> aggregates, const std::vector<std::int64_t> &node_of) {
  made_->links = std::vector<Link>(aggregates.size());
  made_->channels.make(aggregates.size());
  edge_links_.resize(plan_.edges.size());
  std::set<Member> partners;
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    Link &link = made_->links[i];
    link.channel = &made_->channels[i];
    link.aggregate = std::move(aggregates[i]);
    link.head_bytes = head_bytes(link.aggregate);
    partners.insert(link.aggregate.members.begin(), link.aggregate.members.end());
    std::int64_t number = link.aggregate.first_edge;
    for (const int e : edges_) {
      if (node_of[static_cast<std::size_t>(e)] != link.aggregate.node) continue;
      edge_links_[static_cast<std::size_t>(e)] = {i, number++};
      link.some_rank = plan_.edges[static_cast<std::size_t>(e)].rank;
    }
  }
  partners.erase(plan_.topology->member());
  partners_.assign(partners.begin(), partners.end());
}

Status NodeLinks::open_all() {
  shared_.count(*plan_.communicator);
  for (Link &link : all()) HLC_TRY(open(link));
  return Status::ok;
}

Status NodeLinks::open(Link &link) {
  const std::int64_t in = slot_bytes(link.aggregate, link.aggregate.in), out = slot_bytes(link.aggregate, link.aggregate.out);
  char *memory = made_->memory.part(link.aggregate.leader) + sizeof(NodeWords) + link.aggregate.place;
  link.words = reinterpret_cast<AggregateWords *>(memory);
  link.target_at = memory + sizeof(AggregateWords);
  link.notice_at = link.target_at + kTargetHeadBytes + 2 * in;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    link.receive[slot] = link.target_at + kTargetHeadBytes + static_cast<std::int64_t>(slot) * in;
    link.send[slot] = link.notice_at + kNoticeBytes + static_cast<std::int64_t>(slot) * out;
  }
  HLC_TRY(link.memory.cover_out(network_, link.notice_at, kNoticeBytes + 2 * out));
  if (is_leader(link)) HLC_TRY(link.memory.cover_in(network_, link.target_at, kTargetHeadBytes + 2 * in));
  SlotForm form = kAggregateForm;
  form.most_bytes = out;
  const SlotCounters counters{link.words->first.data(), link.words->further.data(), &link.words->loss};
  link.channel->open(network_, form, counters, is_leader(link));
  if (is_leader(link)) write_reach(link);
  return Status::ok;
}

void NodeLinks::write_reach(Link &link) const {
  ReachDescriptor &reach = link.words->reach;
  reach.leader = link.channel->describe(link.memory, {0, kTargetHeadBytes, slot_bytes(link.aggregate, link.aggregate.in)});
  reach.rank = plan_.topology->rank();
  std::copy(link.channel->immediates().begin(), link.channel->immediates().end(), reach.immediates.begin());
}

/// The leaders have written their reach descriptors; each edge sends its aggregate's to the other node.
std::unique_ptr<DescriptorsOf<NodeDescriptor>> NodeLinks::write_descriptors() {
  auto descriptors = std::make_unique<DescriptorsOf<NodeDescriptor>>(plan_, edges_);
  for (const int e : edges_) descriptors->mine[static_cast<std::size_t>(e)] = {of(e).words->reach, edge_link(e).number};
  return descriptors;
}

Status NodeLinks::connect_all(const std::vector<NodeDescriptor> &theirs) {
  for (const int e : edges_) {
    const NodeDescriptor &descriptor = theirs[static_cast<std::size_t>(e)];
    const std::int64_t edges = of(e).aggregate.edges;
    if (descriptor.number < 0 || descriptor.number >= edges)
      return fail(Status::mismatch, "%s: rank %d: rank %d sent an invalid edge number: %lld of %lld", plan_.text().c_str(),
                  plan_.topology->rank(), plan_.edges[static_cast<std::size_t>(e)].rank, static_cast<long long>(descriptor.number),
                  static_cast<long long>(edges));
    edge_links_[static_cast<std::size_t>(e)].peer_number = descriptor.number;
    if (of(e).channel->rank() < 0) HLC_TRY(connect(of(e), descriptor.reach));
  }
  return Status::ok;
}

Status NodeLinks::connect(Link &link, const ReachDescriptor &reach) {
  const char *host = reach.leader.rank.host;
  const std::string name(host, strnlen(host, sizeof reach.leader.rank.host));
  HLC_TRY(link.channel->connect({reach.rank, name, link.memory}, reach.leader, reach.immediates.data()));
  link.channel->greet();
  return Status::ok;
}

}  // namespace halocline::core
