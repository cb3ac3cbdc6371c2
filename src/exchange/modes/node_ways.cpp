// Bundles are laid out, the node's memory is made and registered, and each rank meets the carriers of other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/node_ways.hpp"

#include <cstring>
#include <set>
#include <utility>

namespace halocline {

NodeWays::NodeWays(Plan &plan, const std::vector<int> &edges)
    : plan_(plan), edges_(edges), network_(plan.context->network()), endpoint_(*network_.endpoint()) {}

NodeWays::~NodeWays() {
  if (shares_) plan_.context->count_shared(-1);
  for (Way &way : ways_) release_peer(way);
  if (std::all_of(ways_.begin(), ways_.end(), [](const Way &way) { return way.is_over(); })) return;
  remains_->memory = std::move(memory_);
  remains_->ways = std::move(ways_);
  keep_for_ever(std::move(remains_));
}

Status NodeWays::create() {
  std::unique_ptr<Descriptors> nodes;
  HLC_TRY(prepare([&] {
    nodes = std::make_unique<Descriptors>(plan_, edges_);
    for (const int e : edges_) nodes->mine[static_cast<std::size_t>(e)].a = plan_.context->node();
    return Status::ok;
  }));
  HLC_TRY(swap_descriptors(plan_, edges_, nodes));
  HLC_TRY(share_stakes(*nodes));
  HLC_TRY(agree(*plan_.context, plan_.comm, create_segment(*plan_.context, carried_bytes(), memory_)));
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

/// The other nodes may still write, and the provider knows the memory by its addresses. But what they write is for nobody, and so it may go
/// to memory that is not shared, once nothing is read from there that is on its way to others.
void NodeWays::let_go() {
  for (Way &way : ways_) withdraw(way);
  if (std::all_of(ways_.begin(), ways_.end(), [](const Way &way) { return way.is_over(); })) memory_.let_go();
}

std::int64_t NodeWays::memory_bytes() const {
  std::int64_t bytes = carried_bytes() + static_cast<std::int64_t>(ties_.size() * sizeof(Tie));
  for (const Way &way : ways_) bytes += static_cast<std::int64_t>(sizeof(Way) + kSlots * way.pieces[0].size() * sizeof(Transfer));
  return bytes;
}

/// A failure of the transport, which knows no ranks, becomes one of mine.
Status NodeWays::name_me(Status status) const {
  return failed(status) ? fail(status, "rank %d: %s", plan_.context->rank(), error_message()) : status;
}

/// What this rank has the memory of.
std::int64_t NodeWays::carried_bytes() const {
  std::int64_t bytes = 0;
  for (const Way &way : ways_)
    if (is_carrier(way)) bytes = std::max(bytes, way.bundle.place + bundle_bytes(way.bundle, sizeof(BundleWords)));
  return static_cast<std::int64_t>(sizeof(NodeWords)) + bytes;
}

/// The ranks of the node read each other's stakes from memory that is theirs for the moment; each works out the same bundles.
Status NodeWays::share_stakes(const Descriptors &nodes) {
  Context &context = *plan_.context;
  std::vector<std::int64_t> node_of;
  std::vector<Stake> mine;
  HLC_TRY(prepare([&] {
    for (const Descriptor &descriptor : nodes.theirs) node_of.push_back(descriptor.a);
    mine = list_stakes(plan_, edges_, node_of);
    mine.emplace_back();
    return Status::ok;
  }));
  Segment stakes;
  const std::size_t bytes = mine.size() * sizeof(Stake);
  HLC_TRY(agree(context, plan_.comm, create_segment(context, static_cast<std::int64_t>(bytes), stakes)));
  std::memcpy(stakes.part(context.member()), mine.data(), bytes);
  HLC_TRY(agree(context, plan_.comm, Status::ok));
  return prepare([&] {
    std::vector<Stake> all;
    for (Member member = 0; member < context.members(); ++member)
      for (const auto *stake = reinterpret_cast<const Stake *>(stakes.part(member)); stake->edges > 0; ++stake) all.push_back(*stake);
    take(lay_out_bundles(std::move(all), context.member(), sizeof(BundleWords)), node_of);
    return Status::ok;
  });
}

void NodeWays::take(std::vector<Bundle> bundles, const std::vector<std::int64_t> &node_of) {
  remains_ = std::make_unique<Remains>();
  ways_ = std::vector<Way>(bundles.size());
  ties_.resize(plan_.edges.size());
  std::set<Member> partners;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    Way &way = ways_[i];
    way.bundle = std::move(bundles[i]);
    way.head_bytes = head_bytes(way.bundle);
    partners.insert(way.bundle.members.begin(), way.bundle.members.end());
    std::int64_t number = way.bundle.first_edge;
    for (const int e : edges_) {
      if (node_of[static_cast<std::size_t>(e)] != way.bundle.node) continue;
      ties_[static_cast<std::size_t>(e)] = {i, number++};
      way.some_rank = plan_.edges[static_cast<std::size_t>(e)].rank;
    }
  }
  partners.erase(plan_.context->member());
  partners_.assign(partners.begin(), partners.end());
}

Status NodeWays::open_all() {
  plan_.context->count_shared(1);
  shares_ = true;
  for (Way &way : ways_) HLC_TRY(open(way));
  return Status::ok;
}

Status NodeWays::open(Way &way) {
  const std::int64_t in = slot_bytes(way.bundle, way.bundle.in), out = slot_bytes(way.bundle, way.bundle.out);
  char *memory = memory_.part(way.bundle.carrier) + sizeof(NodeWords) + way.bundle.place;
  way.words = reinterpret_cast<BundleWords *>(memory);
  way.target_at = memory + sizeof(BundleWords);
  way.news_at = way.target_at + kTargetHeadBytes + 2 * in;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    way.receive[slot] = way.target_at + kTargetHeadBytes + static_cast<std::int64_t>(slot) * in;
    way.send[slot] = way.news_at + kNewsBytes + static_cast<std::int64_t>(slot) * out;
  }
  HLC_TRY(way.source.cover(endpoint_, way.news_at, kNewsBytes + 2 * out, NetworkSegment::Use::for_me));
  if (!is_carrier(way)) return Status::ok;
  HLC_TRY(way.target.cover(endpoint_, way.target_at, kTargetHeadBytes + 2 * in, NetworkSegment::Use::for_peers));
  ReachDescriptor &descriptor = way.words->reach;
  descriptor.carrier = network_.liveness()->mine();
  descriptor.rank = plan_.context->rank();
  descriptor.memory = way.target.remote();
  for (; way.registered < kinds; ++way.registered)
    descriptor.immediates[way.registered] = endpoint_.register_counter(&way.words->heard[way.registered]);
  return Status::ok;
}

/// The carriers have written how they are reached; each edge carries that to the other node.
std::unique_ptr<DescriptorsOf<NodeDescriptor>> NodeWays::write_descriptors() {
  auto descriptors = std::make_unique<DescriptorsOf<NodeDescriptor>>(plan_, edges_);
  for (const int e : edges_) descriptors->mine[static_cast<std::size_t>(e)] = {of(e).words->reach, tie(e).number};
  return descriptors;
}

Status NodeWays::connect_all(const std::vector<NodeDescriptor> &theirs) {
  for (const int e : edges_) {
    const NodeDescriptor &descriptor = theirs[static_cast<std::size_t>(e)];
    const std::int64_t edges = of(e).bundle.edges;
    if (descriptor.number < 0 || descriptor.number >= edges)
      return fail(Status::mismatch, "rank %d: rank %d gives an edge the number %lld of %lld", plan_.context->rank(),
                  plan_.edges[static_cast<std::size_t>(e)].rank, static_cast<long long>(descriptor.number), static_cast<long long>(edges));
    ties_[static_cast<std::size_t>(e)].peer_number = descriptor.number;
    if (!of(e).met) HLC_TRY(connect(of(e), descriptor.reach));
  }
  return Status::ok;
}

Status NodeWays::connect(Way &way, const ReachDescriptor &descriptor) {
  Transfer model;
  HLC_TRY(network_.liveness()->know(descriptor.rank, descriptor.carrier));
  HLC_TRY(endpoint_.resolve(descriptor.carrier.address, &model.peer));
  way.address = descriptor.carrier.address;
  way.met = true;
  way.rank = descriptor.rank;
  way.host.assign(descriptor.carrier.host, strnlen(descriptor.carrier.host, sizeof descriptor.carrier.host));
  model.failures = network_.count_failures();
  model.desc = way.source.desc();
  model.key = descriptor.memory.key;
  for (std::size_t slot = 0; slot < kSlots; ++slot) make_pieces(way, slot, descriptor, model);
  way.greeting.kind = Transfer::Kind::write_delivered;
  aim_word(way.greeting, model, way.send[0], descriptor.memory.address);
  aim_word(way.news, model, way.news_at, descriptor.memory.address + sizeof(std::uint64_t));
  way.news.immediate = descriptor.immediates[loss];
  endpoint_.start(way.greeting);
  return Status::ok;
}

void NodeWays::aim_word(Transfer &word, const Transfer &model, const char *from, std::uint64_t address) const {
  word.aim_as(model);
  word.from = from;
  word.bytes = sizeof(std::uint64_t);
  word.address = address;
}

void NodeWays::make_pieces(Way &way, std::size_t slot, const ReachDescriptor &descriptor, const Transfer &model) {
  const std::int64_t bytes = slot_bytes(way.bundle, way.bundle.out);
  const std::int64_t slot_at = kTargetHeadBytes + static_cast<std::int64_t>(slot) * bytes;
  way.pieces[slot] = std::vector<Transfer>(static_cast<std::size_t>(pieces_of(bytes)));
  std::int64_t before = 0;
  for (Transfer &piece : way.pieces[slot]) {
    piece.aim_as(model);
    piece.from = way.send[slot] + before;
    piece.address = descriptor.memory.address + static_cast<std::uint64_t>(slot_at + before);
    piece.immediate = descriptor.immediates[(before == 0 ? first_0 : further_0) + slot];
    before += endpoint_.most_bytes();
  }
}

/// The connections stand before the first round, and a node that cannot be reached is an error of the plan.
Status NodeWays::await_greetings() {
  Wait wait(*plan_.context, network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling);
  while (true) {
    network_.poll();
    for (const Way &way : ways_)
      if (way.greeting.state.load(std::memory_order_acquire) == Transfer::State::failed)
        return unreached(way, endpoint_.text_of(way.greeting.error));
    const auto silent = std::find_if(ways_.begin(), ways_.end(), [](const Way &way) { return !Way::is_done(way.greeting); });
    if (silent == ways_.end()) return Status::ok;
    if (wait.pause() == Wait::Turn::check_peers && wait.timed_out(-plan_.context->timeout_ns() / 2)) return unreached(*silent, "");
  }
}

Status NodeWays::unreached(const Way &way, const char *reason) const {
  return fail(Status::timeout,
              "rank %d does not reach rank %d on host %s over the network, %s%s%s (HALOCLINE_INTERFACE names another interface, "
              "HALOCLINE_PROVIDER=none does without)",
              plan_.context->rank(), way.rank, way.host.c_str(), endpoint_.description().c_str(), *reason ? ": " : "", reason);
}

void NodeWays::release_peer(Way &way) {
  for (std::size_t kind = 0; kind < way.registered; ++kind) endpoint_.release_counter(way.words->reach.immediates[kind]);
  withdraw(way);
  if (way.met) endpoint_.release_peer(way.address);
}

/// What waits for room.
void NodeWays::withdraw(Way &way) {
  endpoint_.withdraw(way.greeting);
  endpoint_.withdraw(way.news);
  for (auto &pieces : way.pieces)
    for (Transfer &piece : pieces) endpoint_.withdraw(piece);
}

}  // namespace halocline
