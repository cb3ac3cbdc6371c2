// Lays out the aggregates, makes and registers the node's memory, and resolves the leaders of other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/node_links.hpp"

#include <cstring>
#include <set>
#include <utility>

namespace halocline::core {
namespace {

/// Makes a transfer of one word to a peer.
void aim_node_word(Transfer &word, const Transfer &model, const char *from, std::uint64_t address) {
  word.aim_as(model);
  word.from = from;
  word.bytes = sizeof(std::uint64_t);
  word.address = address;
}

}  // namespace

NodeLinks::NodeLinks(Plan &plan, const std::vector<int> &edges)
    : plan_(plan), edges_(edges), network_(plan.context->network()), endpoint_(*network_.endpoint()) {}

NodeLinks::~NodeLinks() {
  for (Link &link : links_) link.release_peer(endpoint_);
  if (std::all_of(links_.begin(), links_.end(), [](const Link &link) { return link.is_over(); })) return;
  remains_->memory = std::move(memory_);
  remains_->links = std::move(links_);
  leak(std::move(remains_));
}

Status NodeLinks::create() {
  std::unique_ptr<Descriptors> nodes;
  HLC_TRY(prepare([&] {
    nodes = std::make_unique<Descriptors>(plan_, edges_);
    for (const int e : edges_) nodes->mine[static_cast<std::size_t>(e)].a = plan_.context->node();
    return Status::ok;
  }));
  HLC_TRY(swap_descriptors(plan_, edges_, nodes));
  HLC_TRY(share_contributions(*nodes));
  HLC_TRY(agree(*plan_.context, plan_.comm, create_shared_memory(*plan_.context, carried_bytes(), memory_)));
  HLC_TRY(prepare([&] { return name_me(open_all()); }));
  std::unique_ptr<DescriptorsOf<NodeDescriptor>> descriptors;
  HLC_TRY(prepare([&] {
    descriptors = write_descriptors();
    return Status::ok;
  }));
  HLC_TRY(swap_descriptors(plan_, edges_, descriptors));
  HLC_TRY(prepare([&] { return name_me(connect_all(descriptors->theirs)); }));
  return prepare([&] { return await_greetings(); });
}

/// The other nodes may still write, and the provider knows the memory by its addresses. But no rank reads what they write. So private
/// memory may be mapped at these addresses, once no transfer that is under way reads from them.
void NodeLinks::abandon() {
  for (Link &link : links_) link.withdraw(endpoint_);
  if (std::all_of(links_.begin(), links_.end(), [](const Link &link) { return link.is_over(); })) memory_.abandon();
}

std::int64_t NodeLinks::memory_bytes() const {
  std::int64_t bytes = carried_bytes() + static_cast<std::int64_t>(edge_links_.size() * sizeof(EdgeLink));
  for (const Link &link : links_) bytes += static_cast<std::int64_t>(sizeof(Link) + kSlots * link.pieces[0].size() * sizeof(Transfer));
  return bytes;
}

/// Adds this rank to an error of the transport, which knows no ranks.
Status NodeLinks::name_me(Status status) const {
  return failed(status) ? fail(status, "rank %d: %s", plan_.context->rank(), error_message()) : status;
}

/// The memory that this rank provides: its words and the aggregates that it leads.
std::int64_t NodeLinks::carried_bytes() const {
  std::int64_t bytes = 0;
  for (const Link &link : links_)
    if (is_leader(link)) bytes = std::max(bytes, link.aggregate.place + aggregate_bytes(link.aggregate, sizeof(AggregateWords)));
  return static_cast<std::int64_t>(sizeof(NodeWords)) + bytes;
}

/// The ranks of the node read each other's contributions from temporary shared memory; each computes the same aggregates.
Status NodeLinks::share_contributions(const Descriptors &nodes) {
  Context &context = *plan_.context;
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
  HLC_TRY(agree(context, plan_.comm, create_shared_memory(context, static_cast<std::int64_t>(bytes), contributions)));
  std::memcpy(contributions.part(context.member()), mine.data(), bytes);
  HLC_TRY(agree(context, plan_.comm, Status::ok));
  return prepare([&] {
    std::vector<Contribution> all;
    for (Member member = 0; member < context.members(); ++member)
      for (const auto *contribution = reinterpret_cast<const Contribution *>(contributions.part(member)); contribution->edges > 0;
           ++contribution)
        all.push_back(*contribution);
    take(lay_out_aggregates(std::move(all), context.member(), sizeof(AggregateWords)), node_of);
    return Status::ok;
  });
}

void NodeLinks::take(std::vector<Aggregate> aggregates, const std::vector<std::int64_t> &node_of) {
  remains_ = std::make_unique<Remains>();
  links_ = std::vector<Link>(aggregates.size());
  edge_links_.resize(plan_.edges.size());
  std::set<Member> partners;
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    Link &link = links_[i];
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
  partners.erase(plan_.context->member());
  partners_.assign(partners.begin(), partners.end());
}

Status NodeLinks::open_all() {
  shared_.count(*plan_.context);
  for (Link &link : links_) HLC_TRY(open(link));
  return Status::ok;
}

Status NodeLinks::open(Link &link) {
  const std::int64_t in = slot_bytes(link.aggregate, link.aggregate.in), out = slot_bytes(link.aggregate, link.aggregate.out);
  char *memory = memory_.part(link.aggregate.leader) + sizeof(NodeWords) + link.aggregate.place;
  link.words = reinterpret_cast<AggregateWords *>(memory);
  link.target_at = memory + sizeof(AggregateWords);
  link.notice_at = link.target_at + kTargetHeadBytes + 2 * in;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    link.receive[slot] = link.target_at + kTargetHeadBytes + static_cast<std::int64_t>(slot) * in;
    link.send[slot] = link.notice_at + kNoticeBytes + static_cast<std::int64_t>(slot) * out;
  }
  HLC_TRY(link.source.cover(endpoint_, link.notice_at, kNoticeBytes + 2 * out, NetworkSegment::Use::for_me));
  if (!is_leader(link)) return Status::ok;
  HLC_TRY(link.target.cover(endpoint_, link.target_at, kTargetHeadBytes + 2 * in, NetworkSegment::Use::for_peers));
  ReachDescriptor &descriptor = link.words->reach;
  descriptor.leader = network_.liveness()->mine();
  descriptor.rank = plan_.context->rank();
  descriptor.memory = link.target.remote();
  for (; link.registered < kinds; ++link.registered)
    descriptor.immediates[link.registered] = endpoint_.register_counter(&link.words->counters[link.registered]);
  return Status::ok;
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
      return fail(Status::mismatch, "rank %d: rank %d gives an edge the number %lld of %lld", plan_.context->rank(),
                  plan_.edges[static_cast<std::size_t>(e)].rank, static_cast<long long>(descriptor.number), static_cast<long long>(edges));
    edge_links_[static_cast<std::size_t>(e)].peer_number = descriptor.number;
    if (!of(e).met) HLC_TRY(connect(of(e), descriptor.reach));
  }
  return Status::ok;
}

Status NodeLinks::connect(Link &link, const ReachDescriptor &descriptor) {
  Transfer model;
  HLC_TRY(network_.liveness()->know(descriptor.rank, descriptor.leader));
  HLC_TRY(endpoint_.resolve(descriptor.leader.address, &model.peer));
  link.address = descriptor.leader.address;
  link.met = true;
  link.rank = descriptor.rank;
  link.host.assign(descriptor.leader.host, strnlen(descriptor.leader.host, sizeof descriptor.leader.host));
  model.failures = network_.count_failures();
  model.desc = link.source.desc();
  model.key = descriptor.memory.key;
  for (std::size_t slot = 0; slot < kSlots; ++slot) make_pieces(link, slot, descriptor, model);
  link.greeting.kind = Transfer::Kind::write_delivered;
  aim_node_word(link.greeting, model, link.send[0], descriptor.memory.address);
  aim_node_word(link.notice, model, link.notice_at, descriptor.memory.address + sizeof(std::uint64_t));
  link.notice.immediate = descriptor.immediates[loss];
  endpoint_.start(link.greeting);
  return Status::ok;
}

void NodeLinks::make_pieces(Link &link, std::size_t slot, const ReachDescriptor &descriptor, const Transfer &model) {
  const std::int64_t bytes = slot_bytes(link.aggregate, link.aggregate.out);
  const std::int64_t slot_at = kTargetHeadBytes + static_cast<std::int64_t>(slot) * bytes;
  link.pieces[slot] = std::vector<Transfer>(static_cast<std::size_t>(pieces_of(bytes)));
  std::int64_t before = 0;
  for (Transfer &piece : link.pieces[slot]) {
    piece.aim_as(model);
    piece.from = link.send[slot] + before;
    piece.address = descriptor.memory.address + static_cast<std::uint64_t>(slot_at + before);
    piece.immediate = descriptor.immediates[(before == 0 ? first_0 : further_0) + slot];
    before += endpoint_.most_bytes();
  }
}

/// Makes sure that the connections work before the first round: a node that cannot be reached is an error of the plan.
Status NodeLinks::await_greetings() {
  Wait wait(*plan_.context, network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling);
  auto silent = links_.cend();
  const auto look = [&] {
    network_.poll();
    for (const Link &link : links_)
      if (link.greeting.state.load(std::memory_order_acquire) == Transfer::State::failed)
        return unreached(link, endpoint_.text_of(link.greeting.error));
    silent = std::find_if(links_.cbegin(), links_.cend(), [](const Link &link) { return !Link::is_done(link.greeting); });
    return silent == links_.cend() ? Status::ok : Status::again;
  };
  const std::int64_t grace_ns = -plan_.context->timeout_ns() / 2;
  return wait_until(wait, look, [&] { return wait.timed_out(grace_ns) ? unreached(*silent, "") : Status::ok; });
}

Status NodeLinks::unreached(const Link &link, const char *reason) const {
  return fail(Status::timeout,
              "rank %d does not reach rank %d on host %s over the network, %s%s%s (HALOCLINE_INTERFACE names another interface, "
              "HALOCLINE_PROVIDER=none does without)",
              plan_.context->rank(), link.rank, link.host.c_str(), endpoint_.description().c_str(), *reason ? ": " : "", reason);
}

void NodeLink::release_peer(NetworkEndpoint &endpoint) {
  for (std::size_t kind = 0; kind < registered; ++kind) endpoint.release_counter(words->reach.immediates[kind]);
  withdraw(endpoint);
  if (met) endpoint.release_peer(address);
}

void NodeLink::withdraw(NetworkEndpoint &endpoint) {
  endpoint.withdraw(greeting);
  endpoint.withdraw(notice);
  for (auto &slot : pieces)
    for (Transfer &piece : slot) endpoint.withdraw(piece);
}

}  // namespace halocline::core
