// How mode notify_node reaches other nodes: all that the ranks of this node send to those of another goes in one write, with one notification.
// The ranks pack into one buffer in the node's memory, and whoever is last sends it; at the other node it lands in memory that all ranks there
// unpack from. What goes between two nodes is a bundle each way (bundles.hpp). Source: Simmendinger et al., sections 3 and 4.3.
//
// A round carries one write each way for each pair of nodes, even if nothing moves in it: so all know what to wait for, and no write is needed to
// say that a slot has been unpacked. A rank ends a round only when the other nodes' bundles of it have come; each rank there had unpacked the
// round before by then, or it would not have packed.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "engine/notification.hpp"
#include "engine/segment.hpp"
#include "exchange/buffers.hpp"
#include "exchange/handshake.hpp"
#include "exchange/leg.hpp"
#include "exchange/modes/bundles.hpp"

namespace halocline {
namespace {

using transport::ofi::Peer;
using transport::ofi::RemotePart;

constexpr std::size_t kSlots = 2;
constexpr std::int64_t kGone_ns = 2'000'000'000;  // what the network does not take for so long has nobody to go to
constexpr std::int64_t kNewsLeave_ns = 200'000'000;

/// What announcements are for: the first piece of a slot, which tells of all further ones, those, and news of a rank that is lost.
enum : std::size_t { first_0, first_1, further_0, further_1, loss, kinds };

/// Who is lost, and who has found out. In shared memory and in messages one word, so that it is whole; 0: nobody is.
struct Loss {
  int rank = -1, finder = -1;

  static Loss of(std::uint64_t word) { return {static_cast<int>(word >> 32) - 1, static_cast<int>(word & 0xFFFF'FFFF) - 1}; }
  std::uint64_t word() const { return (static_cast<std::uint64_t>(rank) + 1) << 32 | (static_cast<std::uint64_t>(finder) + 1); }
};

/// What all ranks of this node know of the plan. Each part begins with it; that of the node's first rank is used.
struct NodeWords {
  alignas(kLinePair) std::atomic<std::uint64_t> lost;  // written once, by whoever of the node is the first to find out
};
static_assert(sizeof(NodeWords) % kLinePair == 0);

/// What ranks of the other node have to know to write a bundle to this one.
struct ReachCard {
  Whereabouts carrier;
  int rank = 0;  // the carrier's
  RemotePart memory;  // from the landing on
  std::array<std::uint64_t, kinds> announcements{};
};

/// What the ranks of this node tell each other of a bundle, in their memory.
struct BundleWords {
  std::array<Counter, kinds> heard;  // pieces, and news, that have come; the carrier counts
  std::array<Counter, kSlots> sent;  // the last round whose bundle has left this slot; written by whoever sent it
  struct alignas(kLinePair) Packing {
    std::atomic<std::uint64_t> used;  // bytes that packers have taken
    std::atomic<std::uint64_t> packed;  // ranks that are done
    std::uint64_t further;  // pieces beyond the first, of all rounds; the sender's alone
  };
  std::array<Packing, kSlots> packing;  // of the round that is being packed
  ReachCard reach;  // written by the carrier, once
};

/// The word of a landing that news are written to.
std::uint64_t &news_in(char *landing) { return reinterpret_cast<std::uint64_t *>(landing)[1]; }
/// The words before the data of a slot. How many pieces have been sent into it beyond the first ones, in all rounds so far:
std::uint64_t &further_in(char *slot) { return *reinterpret_cast<std::uint64_t *>(slot); }
/// Where the data of an edge are, by its number in the bundle; from the slot's first byte on.
std::uint64_t &begin_in(char *slot, std::int64_t number) { return reinterpret_cast<std::uint64_t *>(slot)[1 + number]; }

/// What the two ends of an edge tell each other.
struct NodeCard {
  ReachCard reach;  // of the bundle that the edge belongs to
  std::int64_t number = 0;  // of the edge in it, as the sender counts
};

class NodeWireLeg final : public Leg {
 public:
  NodeWireLeg(Plan &plan, std::vector<int> edges)
      : Leg(plan, std::move(edges)), network_(plan.context->network()), port_(*network_.port()) {}

  ~NodeWireLeg() override {
    if (shares_) network_.count_shared(-1);
    for (Way &way : ways_) part_from(way);
    if (std::all_of(ways_.begin(), ways_.end(), is_over)) return;
    remains_->memory = std::move(memory_);
    remains_->ways = std::move(ways_);
    keep_for_ever(std::move(remains_));
  }

  Status create() override {
    std::unique_ptr<Cards> nodes;
    HLC_TRY(prepare([&] {
      nodes = std::make_unique<Cards>(plan_, edges_);
      for (const int e : edges_) nodes->mine[static_cast<std::size_t>(e)].a = plan_.context->node();
      return Status::ok;
    }));
    HLC_TRY(swap_cards(plan_, edges_, nodes));
    HLC_TRY(share_stakes(*nodes));
    HLC_TRY(agree(*plan_.context, plan_.comm, create_segment(*plan_.context, carried_bytes(), memory_)));
    HLC_TRY(prepare([&] { return name_me(open_ways()); }));
    std::unique_ptr<CardsOf<NodeCard>> cards;
    HLC_TRY(prepare([&] {
      cards = write_cards();
      return Status::ok;
    }));
    HLC_TRY(swap_cards(plan_, edges_, cards));
    HLC_TRY(prepare([&] { return name_me(connect_all(cards->theirs)); }));
    return prepare([&] { return await_greetings(); });
  }

  Status open() override {
    round_ += 1;
    waiting_.clear();
    for (Way &way : ways_) way.share = 0, way.left = 0, way.counted = false, way.come = false, way.placed = false;
    for (const int e : edges_) {
      Way &way = way_of(e);
      way.share += round_up(part(e).out, kChunkAlignment);
      way.left += part(e).out > 0 ? 1 : 0;
      if (part(e).in > 0) waiting_.push_back(e);
    }
    return Status::ok;
  }

  /// In a round as planned all have their places, and the receivers find the data where they found them before. In others nobody knows what
  /// the rest of the node sends, and so each takes room for all of its own when it packs the first.
  Status place(int e, void **buffer) override {
    HLC_TRY(progress());
    Way &way = way_of(e);
    if (!is_free(way)) return Status::again;
    if (!way.placed) {
      way.next = way.head_bytes + (plan_.whole_round ? way.bundle.my_place : take_room(way));
      way.placed = true;
    }
    char *slot = way.send[round_ % kSlots];
    begin_in(slot, tie(e).number) = static_cast<std::uint64_t>(way.next);
    *buffer = slot + way.next;
    return Status::ok;
  }

  Status send(int e) override {
    Way &way = way_of(e);
    way.next += round_up(part(e).out, kChunkAlignment);
    way.left -= 1;
    if (way.left == 0) count_me(way);
    return Status::ok;
  }

  /// Ranks that send nothing to a node are counted, too: who is last then is known.
  Status launched() override {
    count_idle();
    return Status::ok;
  }

  Status poll(int *e) override {
    HLC_TRY(progress());
    count_idle();
    for (int &candidate : waiting_) {
      if (!has_come(way_of(candidate))) continue;
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override {
    const Tie &at = ties_[static_cast<std::size_t>(e)];
    char *slot = ways_[at.way].receive[round_ % kSlots];
    return slot + begin_in(slot, at.peer_number);
  }

  /// The next round's count says it (unpacked-before-packed).
  Status release(int) override { return Status::ok; }

  void wake_peers() override {
    if (told_) plan_.context->port().ring_all(partners_);
    told_ = false;
  }

  /// All other nodes' bundles of this round have come, be there anything for me in them or not, and what I have sent has left.
  Status close(int *rank) override {
    HLC_TRY(progress());
    count_idle();
    for (Way &way : ways_) {
      if (way.counted && has_come(way) && way.posted[0] == 0 && way.posted[1] == 0) continue;
      *rank = way.some_rank;
      return Status::again;
    }
    return Status::ok;
  }

  /// Nothing comes after the bundles of the last round.
  Status settle(int *rank) override { return round_ == 0 ? Status::ok : close(rank); }

  Status look_for_lost() override {
    if (const std::uint64_t word = node_words().lost.load(std::memory_order_relaxed); word != 0) return end_for(Loss::of(word));
    for (Way &way : ways_) {
      // SYNC payload-before-announcement (pairs with Port::hear)
      if (reached(way.words->heard[loss], 1)) return end_for(Loss::of(news_in(way.landing_at)));
      if (is_gone(way)) return lose(way, "the network has nobody to give it to");
    }
    return Status::ok;
  }

  /// Whoever of the node is the first to find out decides which rank it was.
  void tell_lost(int rank) override {
    std::uint64_t nobody = 0;
    if (node_words().lost.compare_exchange_strong(nobody, Loss{rank, plan_.context->rank()}.word(), std::memory_order_relaxed))
      plan_.context->ring_node();
    spread_news();
  }

  bool outlives_failure() const override { return true; }

  /// The other nodes may still write, and the provider knows the memory by its addresses. But what they write is for nobody, and so it may go
  /// to memory that is not shared, once nothing is read from there that is on its way to others.
  void let_go() override {
    for (Way &way : ways_) withdraw(way);
    if (std::all_of(ways_.begin(), ways_.end(), is_over)) memory_.let_go();
  }

  WakeUp wake_up() const override { return network_.has_thread() ? WakeUp::by_bell : WakeUp::by_polling; }
  bool knows_who() const override { return false; }
  const std::vector<Member> &partners() const override { return partners_; }
  std::int64_t network_writes() const override { return writes_; }

  std::int64_t memory_bytes() const override {
    std::int64_t bytes = carried_bytes() + static_cast<std::int64_t>(ties_.size() * sizeof(Tie));
    for (const Way &way : ways_) bytes += static_cast<std::int64_t>(sizeof(Way) + kSlots * way.pieces[0].size() * sizeof(Transfer));
    return bytes;
  }

 private:
  /// The way to one other node and back, as this rank sees it.
  struct Way {
    Bundle bundle;
    int some_rank = -1;  // a neighbour there, for messages
    BundleWords *words = nullptr;
    std::array<char *, kSlots> receive{}, send{};
    char *landing_at = nullptr, *news_at = nullptr;
    std::int64_t head_bytes = 0;
    NetworkSegment landing;  // registered by the carrier: the landing and the slots to receive in
    NetworkSegment source;  // news and the slots to send from
    std::size_t listening = 0;  // to so many kinds; the carrier
    transport::ofi::Address address;
    bool met = false;
    int rank = -1;  // who hears there
    std::string host;  // where
    std::array<std::vector<Transfer>, kSlots> pieces;
    Transfer greeting, news;
    // Of the running round:
    std::int64_t share = 0, next = 0;  // bytes that I pack; where the next edge goes
    int left = 0;  // edges to be packed
    bool placed = false, counted = true, come = false;
    std::array<std::uint64_t, kSlots> posted{};  // the round that I have sent from a slot, until it has left; 0: none
  };

  /// An edge's place.
  struct Tie {
    std::size_t way = 0;
    std::int64_t number = 0, peer_number = 0;  // in the bundle that I send, and in the one that comes
  };

  /// What libfabric may still read or write when the leg goes because a plan could not be made.
  struct Remains : Kept {
    Segment memory;
    std::vector<Way> ways;
  };

  Tie &tie(int e) { return ties_[static_cast<std::size_t>(e)]; }
  Way &way_of(int e) { return ways_[tie(e).way]; }
  BundleWords::Packing &packing(const Way &way) const { return way.words->packing[round_ % kSlots]; }

  NodeWords &node_words() const { return *reinterpret_cast<NodeWords *>(memory_.part(0)); }

  std::int64_t take_room(const Way &way) const {
    return static_cast<std::int64_t>(packing(way).used.fetch_add(static_cast<std::uint64_t>(way.share), std::memory_order_relaxed));
  }

  /// A failure of the transport, which knows no ranks, becomes one of mine.
  Status name_me(Status status) const {
    return failed(status) ? fail(status, "rank %d: %s", plan_.context->rank(), error_message()) : status;
  }

  /// What this rank has the memory of.
  std::int64_t carried_bytes() const {
    std::int64_t bytes = 0;
    for (const Way &way : ways_)
      if (is_carrier(way)) bytes = std::max(bytes, way.bundle.place + bundle_bytes(way.bundle, sizeof(BundleWords)));
    return static_cast<std::int64_t>(sizeof(NodeWords)) + bytes;
  }
  bool is_carrier(const Way &way) const { return way.bundle.carrier == plan_.context->member(); }

  /// The ranks of the node read each other's stakes from memory that is theirs for the moment; each works out the same bundles.
  Status share_stakes(const Cards &nodes) {
    Context &context = *plan_.context;
    std::vector<std::int64_t> node_of;
    std::vector<Stake> mine;
    HLC_TRY(prepare([&] {
      for (const Card &card : nodes.theirs) node_of.push_back(card.a);
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

  void take(std::vector<Bundle> bundles, const std::vector<std::int64_t> &node_of) {
    remains_ = std::make_unique<Remains>();
    ways_ = std::vector<Way>(bundles.size());
    ties_.resize(plan_.edges.size());
    waiting_.reserve(edges_.size());
    std::set<Member> partners;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
      Way &way = ways_[i];
      way.bundle = std::move(bundles[i]);
      way.head_bytes = head_bytes(way.bundle);
      partners.insert(way.bundle.members.begin(), way.bundle.members.end());
      std::int64_t number = way.bundle.first_edge;
      for (const int e : edges_) {
        if (node_of[static_cast<std::size_t>(e)] != way.bundle.node) continue;
        tie(e) = {i, number++};
        way.some_rank = edge(e).rank;
      }
    }
    partners.erase(plan_.context->member());
    partners_.assign(partners.begin(), partners.end());
  }

  Status open_ways() {
    network_.count_shared(1);
    shares_ = true;
    for (Way &way : ways_) HLC_TRY(open(way));
    return Status::ok;
  }

  Status open(Way &way) {
    const std::int64_t in = slot_bytes(way.bundle, way.bundle.in), out = slot_bytes(way.bundle, way.bundle.out);
    char *memory = memory_.part(way.bundle.carrier) + sizeof(NodeWords) + way.bundle.place;
    way.words = reinterpret_cast<BundleWords *>(memory);
    way.landing_at = memory + sizeof(BundleWords);
    way.news_at = way.landing_at + kLandingBytes + 2 * in;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      way.receive[slot] = way.landing_at + kLandingBytes + static_cast<std::int64_t>(slot) * in;
      way.send[slot] = way.news_at + kNewsBytes + static_cast<std::int64_t>(slot) * out;
    }
    HLC_TRY(way.source.cover(port_, way.news_at, kNewsBytes + 2 * out, NetworkSegment::Use::for_me));
    if (!is_carrier(way)) return Status::ok;
    HLC_TRY(way.landing.cover(port_, way.landing_at, kLandingBytes + 2 * in, NetworkSegment::Use::for_peers));
    ReachCard &card = way.words->reach;
    card.carrier = network_.pulses()->mine();
    card.rank = plan_.context->rank();
    card.memory = way.landing.remote();
    for (; way.listening < kinds; ++way.listening) card.announcements[way.listening] = port_.listen(&way.words->heard[way.listening]);
    return Status::ok;
  }

  /// The carriers have written how they are reached; each edge carries that to the other node.
  std::unique_ptr<CardsOf<NodeCard>> write_cards() {
    auto cards = std::make_unique<CardsOf<NodeCard>>(plan_, edges_);
    for (const int e : edges_) cards->mine[static_cast<std::size_t>(e)] = {way_of(e).words->reach, tie(e).number};
    return cards;
  }

  Status connect_all(const std::vector<NodeCard> &theirs) {
    for (const int e : edges_) {
      const NodeCard &card = theirs[static_cast<std::size_t>(e)];
      tie(e).peer_number = card.number;
      if (!way_of(e).met) HLC_TRY(connect(way_of(e), card.reach));
    }
    return Status::ok;
  }

  Status connect(Way &way, const ReachCard &card) {
    Transfer model;
    HLC_TRY(network_.pulses()->know(card.rank, card.carrier));
    HLC_TRY(port_.meet(card.carrier.address, &model.peer));
    way.address = card.carrier.address;
    way.met = true;
    way.rank = card.rank;
    way.host.assign(card.carrier.host, strnlen(card.carrier.host, sizeof card.carrier.host));
    model.descriptor = way.source.descriptor();
    model.key = card.memory.key;
    for (std::size_t slot = 0; slot < kSlots; ++slot) make_pieces(way, slot, card, model);
    Transfer &greeting = way.greeting;
    greeting.kind = Transfer::Kind::deliver;
    greeting.aim_as(model);
    greeting.from = way.send[0];
    greeting.bytes = sizeof(std::uint64_t);
    greeting.address = card.memory.address;
    Transfer &news = way.news;
    news.aim_as(model);
    news.from = way.news_at;
    news.bytes = sizeof(std::uint64_t);
    news.address = card.memory.address + sizeof(std::uint64_t);
    news.announcement = card.announcements[loss];
    port_.start(greeting);
    return Status::ok;
  }

  void make_pieces(Way &way, std::size_t slot, const ReachCard &card, const Transfer &model) {
    const std::int64_t bytes = slot_bytes(way.bundle, way.bundle.out);
    const std::int64_t slot_at = kLandingBytes + static_cast<std::int64_t>(slot) * bytes;
    way.pieces[slot] = std::vector<Transfer>(static_cast<std::size_t>(pieces_of(bytes)));
    std::int64_t before = 0;
    for (Transfer &piece : way.pieces[slot]) {
      piece.aim_as(model);
      piece.from = way.send[slot] + before;
      piece.address = card.memory.address + static_cast<std::uint64_t>(slot_at + before);
      piece.announcement = card.announcements[(before == 0 ? first_0 : further_0) + slot];
      before += port_.most_bytes();
    }
  }

  std::int64_t pieces_of(std::int64_t bytes) const { return (bytes + port_.most_bytes() - 1) / port_.most_bytes(); }

  /// The connections stand before the first round, and a node that cannot be reached is an error of the plan.
  Status await_greetings() {
    Wait wait(*plan_.context, wake_up());
    while (true) {
      HLC_TRY(progress());
      const auto silent = std::find_if(ways_.begin(), ways_.end(), [](const Way &way) { return !is_done(way.greeting); });
      if (silent == ways_.end()) return Status::ok;
      if (wait.pause() == Wait::Turn::check_peers && wait.timed_out(-plan_.context->timeout_ns() / 2)) return unreached(*silent, "");
    }
  }

  /// The reason is known if the provider has given up.
  Status unreached(const Way &way, const char *reason) const {
    return fail(Status::timeout,
                "rank %d does not reach rank %d on host %s over the network, %s%s%s (HALOCLINE_INTERFACE names another interface, "
                "HALOCLINE_PROVIDER=none does without)",
                plan_.context->rank(), way.rank, way.host.c_str(), port_.description().c_str(), *reason ? ": " : "", reason);
  }

  /// The slot of this round can be packed: what was sent from it before has left.
  bool is_free(const Way &way) const {
    // SYNC left-before-packed (pairs with find_left)
    return round_ <= kSlots || reached(way.words->sent[round_ % kSlots], round_ - kSlots);
  }

  void count_idle() {
    for (Way &way : ways_)
      if (!way.counted && way.left == 0 && is_free(way)) count_me(way);
  }

  /// I have packed all, and have unpacked the round before. Who is last sends.
  void count_me(Way &way) {
    way.counted = true;
    // SYNC packed-before-sent (pairs with itself: who is last)
    // SYNC unpacked-before-packed (pairs with has_come, at the other node)
    if (packing(way).packed.fetch_add(1, std::memory_order_acq_rel) + 1 == way.bundle.members.size()) send_bundle(way);
  }

  void send_bundle(Way &way) {
    const std::size_t slot = round_ % kSlots;
    BundleWords::Packing &state = packing(way);
    const auto used = static_cast<std::int64_t>(state.used.load(std::memory_order_relaxed));
    std::int64_t left = way.head_bytes + (plan_.whole_round ? way.bundle.planned : used);
    state.used.store(0, std::memory_order_relaxed);
    state.packed.store(0, std::memory_order_relaxed);
    state.further += static_cast<std::uint64_t>(pieces_of(left) - 1);
    further_in(way.send[slot]) = state.further;
    way.posted[slot] = round_;
    for (Transfer &piece : way.pieces[slot]) {
      if (left <= 0) break;
      piece.bytes = std::min(left, port_.most_bytes());
      left -= piece.bytes;
      port_.start(piece);
      writes_ += 1;
    }
  }

  bool has_come(Way &way) const {
    if (way.come) return true;
    const std::size_t slot = round_ % kSlots;
    // SYNC payload-before-announcement (pairs with Port::hear)
    // SYNC unpacked-before-packed (pairs with count_me, at the other node)
    if (!reached(way.words->heard[first_0 + slot], (round_ + 1) / kSlots)) return false;
    way.come = reached(way.words->heard[further_0 + slot], further_in(way.receive[slot]));
    return way.come;
  }

  // SYNC written-before-reuse (pairs with Port::end)
  static bool is_done(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) == Transfer::State::at_rest; }

  static bool is_over(const Way &way) {
    return is_ended(way.greeting) && is_ended(way.news) && std::all_of(way.pieces[0].begin(), way.pieces[0].end(), is_ended) &&
           std::all_of(way.pieces[1].begin(), way.pieces[1].end(), is_ended);
  }

  static bool is_ended(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) != Transfer::State::under_way; }

  /// Moves the network along, tells the node's ranks which of my bundles have left, and finds out whether a write of mine has failed.
  Status progress() {
    network_.poll();
    for (Way &way : ways_)
      for (std::size_t slot = 0; slot < kSlots; ++slot)
        if (way.posted[slot] != 0) find_left(way, slot);
    if (port_.failures() == failures_) return Status::ok;
    failures_ = port_.failures();
    for (const Way &way : ways_) HLC_TRY(find_failure(way));
    return Status::ok;
  }

  void find_left(Way &way, std::size_t slot) {
    if (!std::all_of(way.pieces[slot].begin(), way.pieces[slot].end(), is_done)) return;
    // SYNC left-before-packed (pairs with is_free)
    notify(way.words->sent[slot], way.posted[slot]);
    way.posted[slot] = 0;
    told_ = true;
  }

  Status find_failure(const Way &way) {
    const auto has_failed = [](const Transfer &t) { return t.state.load(std::memory_order_acquire) == Transfer::State::failed; };
    if (has_failed(way.greeting)) return unreached(way, port_.text_of(way.greeting.error));
    for (const auto &pieces : way.pieces)
      for (const Transfer &piece : pieces)
        if (has_failed(piece)) return lose(way, port_.text_of(piece.error));
    return Status::ok;
  }

  /// The network has not taken in anything there for a while, though it was reached before and nothing is on its way: a process that computes
  /// or is stopped still takes, and one that is flooded has something on its way.
  bool is_gone(const Way &way) const {
    if (!network_.pulses()->has_lost(way.rank, kGone_ns) || network_.traffic()->is_on_its_way(way.rank)) return false;
    const auto is_held = [&](const Transfer &t) { return !is_ended(t) && !port_.waits_for_room(t); };
    return std::none_of(way.pieces[0].begin(), way.pieces[0].end(), is_held) &&
           std::none_of(way.pieces[1].begin(), way.pieces[1].end(), is_held);
  }

  /// I have found out that a rank is lost. Another of this node may have found out before that it was another.
  Status lose(const Way &way, const char *reason) {
    tell_lost(way.rank);
    const Loss known = Loss::of(node_words().lost.load(std::memory_order_relaxed));
    if (known.rank != way.rank) return describe(known);
    return fail(Status::peer_died, "rank %d cannot reach rank %d on host %s over the network (any more): %s", plan_.context->rank(),
                way.rank, way.host.c_str(), reason);
  }

  /// Another rank has found out.
  Status end_for(Loss told) {
    std::uint64_t word = 0;
    if (node_words().lost.compare_exchange_strong(word, told.word(), std::memory_order_relaxed)) {
      word = told.word();
      plan_.context->ring_node();
    }
    spread_news();
    return describe(Loss::of(word));
  }

  Status describe(Loss known) const {
    return fail(Status::peer_died, "rank %d ends its round without rank %d, which is lost: rank %d has found out", plan_.context->rank(),
                known.rank, known.finder);
  }

  /// To all other nodes that I reach, once. The ranks of this node that do so at once say the same.
  void spread_news() {
    if (std::exchange(has_spread_, true)) return;
    const std::uint64_t word = node_words().lost.load(std::memory_order_relaxed);
    network_.note_lost(Loss::of(word).rank);
    for (Way &way : ways_) {
      if (way.rank == Loss::of(word).rank) continue;
      std::memcpy(way.news_at, &word, sizeof word);
      port_.start(way.news);
    }
    see_off_news();
  }

  /// This rank may now go where it moves nothing along. A node that takes nothing is not waited for long.
  void see_off_news() {
    const std::int64_t end = now_ns() + kNewsLeave_ns;
    Wait wait(*plan_.context, WakeUp::by_polling);
    const auto has_left = [](const Way &way) { return is_ended(way.news); };
    while (!std::all_of(ways_.begin(), ways_.end(), has_left) && now_ns() < end) wait.pause();
  }

  void part_from(Way &way) {
    for (std::size_t kind = 0; kind < way.listening; ++kind) port_.stop_listening(way.words->reach.announcements[kind]);
    if (way.met) port_.part_from(way.address);
    withdraw(way);
  }

  /// What waits for room.
  void withdraw(Way &way) {
    port_.withdraw(way.greeting);
    port_.withdraw(way.news);
    for (auto &pieces : way.pieces)
      for (Transfer &piece : pieces) port_.withdraw(piece);
  }

  Network &network_;
  NetworkPort &port_;
  std::unique_ptr<Remains> remains_;  // there if there are ways
  Segment memory_;  // of the bundles: goes after what registers it
  std::vector<Way> ways_;
  std::vector<Tie> ties_;  // by edge
  std::vector<Member> partners_;  // of this node, who have a stake where I have one
  std::vector<int> waiting_;
  std::uint64_t round_ = 0, failures_ = 0;
  std::int64_t writes_ = 0;
  bool shares_ = false;  // counted among those whose arrivals any rank of the node may wait for
  bool has_spread_ = false;  // the news of a rank that is lost
  bool told_ = false;  // a counter was stored since the partners were last woken
};

}  // namespace

std::unique_ptr<Leg> make_node_wire(Plan &plan, std::vector<int> edges) { return std::make_unique<NodeWireLeg>(plan, std::move(edges)); }

}  // namespace halocline
