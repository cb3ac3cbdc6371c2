// How mode notify_node reaches other nodes: all that the ranks of this node send to those of another goes in one write, with one notification.
// The ranks pack into one buffer in the node's memory, and whoever is last sends it; at the other node it lands in memory that all ranks there
// unpack from. What goes between two nodes is a bundle each way (bundles.hpp); node_ways.cpp makes the memory and the connections. Source:
// Simmendinger et al., sections 3 and 4.3.
//
// A round carries one write each way for each pair of nodes, even if nothing moves in it: so all know what to wait for, and no write is needed to
// say that a slot has been unpacked. A rank ends a round only when the other nodes' bundles of it have come; each rank there had unpacked the
// round before by then, or it would not have packed.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/counter.hpp"
#include "engine/network/network_transport.hpp"
#include "exchange/buffers.hpp"
#include "exchange/modes/node_ways.hpp"

namespace halocline {
namespace {

constexpr std::int64_t kNewsLeave_ns = 200'000'000;

class NodeWireLeg final : public Leg {
 public:
  NodeWireLeg(Plan &plan, std::vector<int> edges)
      : Leg(plan, std::move(edges)), network_(plan.context->network()), endpoint_(*network_.endpoint()), ways_(plan, edges_) {
    waiting_.reserve(edges_.size());
  }

  Status create() override { return ways_.create(); }

  Status open() override {
    round_ += 1;
    waiting_.clear();
    for (Way &way : ways_.all()) way.share = 0, way.left = 0, way.counted = false, way.come = false, way.placed = false;
    for (const int e : edges_) {
      Way &way = ways_.of(e);
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
    Way &way = ways_.of(e);
    if (!is_free(way)) return Status::again;
    if (!way.placed) {
      way.next = way.head_bytes + (plan_.whole_round ? way.bundle.my_place : take_room(way));
      way.placed = true;
    }
    char *slot = way.send[round_ % kSlots];
    begin_in(slot, ways_.tie(e).number) = static_cast<std::uint64_t>(way.next);
    *buffer = slot + way.next;
    return Status::ok;
  }

  Status send(int e) override {
    Way &way = ways_.of(e);
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
      if (!has_come(ways_.of(candidate))) continue;
      HLC_TRY(check_place(candidate));
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override {
    const NodeWays::Tie &at = ways_.tie(e);
    char *slot = ways_.all()[at.way].receive[round_ % kSlots];
    return slot + begin_in(slot, at.peer_number);
  }

  /// The next round's count says it (unpacked-before-packed).
  Status release(int) override { return Status::ok; }

  /// All other nodes' bundles of this round have come, be there anything for me in them or not, and what I have sent has left.
  Status close(int *rank) override {
    HLC_TRY(progress());
    count_idle();
    for (Way &way : ways_.all()) {
      if (way.counted && has_come(way) && way.posted[0] == 0 && way.posted[1] == 0) continue;
      *rank = way.some_rank;
      return Status::again;
    }
    return Status::ok;
  }

  /// Nothing comes after the bundles of the last round.
  Status settle(int *rank) override { return round_ == 0 ? Status::ok : close(rank); }

  Status look_for_lost() override {
    if (const std::uint64_t word = ways_.words().lost.load(std::memory_order_relaxed); word != 0) return end_for(Loss::of(word));
    for (Way &way : ways_.all()) {
      // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
      if (reached(way.words->heard[loss], 1)) return end_for(Loss::of(news_in(way.target_at)));
      if (is_gone(way)) return lose(way, "the network has nobody to give it to");
    }
    return Status::ok;
  }

  /// Whoever of the node is the first to find out decides which rank it was.
  void tell_lost(int rank) override {
    std::uint64_t nobody = 0;
    if (ways_.words().lost.compare_exchange_strong(nobody, Loss{rank, plan_.context->rank()}.word(), std::memory_order_relaxed))
      plan_.context->ring_node();
    spread_news();
  }

  bool outlives_failure() const override { return true; }

  void let_go() override { ways_.let_go(); }
  WakeUp wake_up() const override { return network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling; }
  bool knows_who() const override { return false; }
  const std::vector<Member> &partners() const override { return ways_.partners(); }
  std::int64_t network_writes() const override { return writes_; }

  std::int64_t memory_bytes() const override { return ways_.memory_bytes(); }

 private:
  void ring_peers() override { plan_.context->doorbell().ring_all(ways_.partners()); }

  using Way = NodeWays::Way;

  /// What another node says of where the data of an edge begin is used as an address.
  Status check_place(int e) const {
    const NodeWays::Tie &at = ways_.tie(e);
    const Way &way = ways_.all()[at.way];
    const std::uint64_t begin = begin_in(way.receive[round_ % kSlots], at.peer_number);
    if (lies_in_slot(way.bundle, begin, part(e).in)) return Status::ok;
    return fail(Status::mismatch,
                "rank %d has a message for it from rank %d on host %s that cannot be: its %lld bytes begin at %llu of %lld",
                plan_.context->rank(), edge(e).rank, way.host.c_str(), static_cast<long long>(part(e).in),
                static_cast<unsigned long long>(begin), static_cast<long long>(slot_bytes(way.bundle, way.bundle.in)));
  }

  BundleWords::Packing &packing(const Way &way) const { return way.words->packing[round_ % kSlots]; }

  std::int64_t take_room(const Way &way) const {
    return static_cast<std::int64_t>(packing(way).used.fetch_add(static_cast<std::uint64_t>(way.share), std::memory_order_relaxed));
  }

  /// The slot of this round can be packed: what was sent from it before has left.
  bool is_free(const Way &way) const {
    // SYNC left-before-packed (pairs with find_left)
    return round_ <= kSlots || reached(way.words->sent[round_ % kSlots], round_ - kSlots);
  }

  void count_idle() {
    for (Way &way : ways_.all())
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
    state.further += static_cast<std::uint64_t>(ways_.pieces_of(left) - 1);
    further_in(way.send[slot]) = state.further;
    way.posted[slot] = round_;
    for (Transfer &piece : way.pieces[slot]) {
      if (left <= 0) break;
      piece.bytes = std::min(left, endpoint_.most_bytes());
      left -= piece.bytes;
      endpoint_.start(piece);
      writes_ += 1;
    }
  }

  bool has_come(Way &way) const {
    if (way.come) return true;
    const std::size_t slot = round_ % kSlots;
    // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
    // SYNC unpacked-before-packed (pairs with count_me, at the other node)
    if (!reached(way.words->heard[first_0 + slot], (round_ + 1) / kSlots)) return false;
    way.come = reached(way.words->heard[further_0 + slot], further_in(way.receive[slot]));
    return way.come;
  }

  /// Moves the network along, tells the node's ranks which of my bundles have left, and finds out whether a write of mine has failed.
  Status progress() {
    network_.poll();
    for (Way &way : ways_.all())
      for (std::size_t slot = 0; slot < kSlots; ++slot)
        if (way.posted[slot] != 0) find_left(way, slot);
    if (network_.failures() == failures_) return Status::ok;
    failures_ = network_.failures();
    for (const Way &way : ways_.all()) HLC_TRY(find_failure(way));
    return Status::ok;
  }

  void find_left(Way &way, std::size_t slot) {
    if (!way.has_left(slot)) return;
    // SYNC left-before-packed (pairs with is_free)
    notify(way.words->sent[slot], way.posted[slot]);
    way.posted[slot] = 0;
    told_ = true;
  }

  Status find_failure(const Way &way) {
    const auto has_failed = [](const Transfer &t) { return t.state.load(std::memory_order_acquire) == Transfer::State::failed; };
    for (const auto &pieces : way.pieces)
      for (const Transfer &piece : pieces)
        if (has_failed(piece)) return lose(way, endpoint_.text_of(piece.error));
    return Status::ok;
  }

  /// The network has not taken in anything there for a while, though it was reached before and nothing is on its way: a process that computes
  /// or is stopped still takes, and one that is flooded has something on its way.
  bool is_gone(const Way &way) const {
    if (!network_.liveness()->has_lost(way.rank, Liveness::kGone_ns) || network_.requests()->is_on_its_way(way.rank)) return false;
    const auto is_held = [&](const Transfer &t) { return !Way::is_ended(t) && !endpoint_.waits_for_room(t); };
    return std::none_of(way.pieces[0].begin(), way.pieces[0].end(), is_held) &&
           std::none_of(way.pieces[1].begin(), way.pieces[1].end(), is_held);
  }

  /// I have found out that a rank is lost. Another of this node may have found out before that it was another.
  Status lose(const Way &way, const char *reason) {
    tell_lost(way.rank);
    const Loss known = Loss::of(ways_.words().lost.load(std::memory_order_relaxed));
    if (known.rank != way.rank) return describe(known);
    return fail(Status::peer_died, "rank %d cannot reach rank %d on host %s over the network (any more): %s", plan_.context->rank(),
                way.rank, way.host.c_str(), reason);
  }

  /// Another rank has found out.
  Status end_for(Loss told) {
    std::uint64_t word = 0;
    if (ways_.words().lost.compare_exchange_strong(word, told.word(), std::memory_order_relaxed)) {
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
    const std::uint64_t word = ways_.words().lost.load(std::memory_order_relaxed);
    network_.note_lost(Loss::of(word).rank);
    for (Way &way : ways_.all()) {
      if (way.rank == Loss::of(word).rank) continue;
      std::memcpy(way.news_at, &word, sizeof word);
      endpoint_.start(way.news);
    }
    flush_notice();
  }

  /// This rank may now go where it moves nothing along. A node that takes nothing is not waited for long.
  void flush_notice() {
    const std::int64_t end = now_ns() + kNewsLeave_ns;
    Wait wait(*plan_.context, WakeUp::by_polling);
    const auto has_left = [](const Way &way) { return Way::is_ended(way.news); };
    while (!std::all_of(ways_.all().begin(), ways_.all().end(), has_left) && now_ns() < end) wait.pause();
  }

  Network &network_;
  NetworkEndpoint &endpoint_;
  NodeWays ways_;
  std::vector<int> waiting_;
  std::uint64_t round_ = 0, failures_ = 0;
  std::int64_t writes_ = 0;
  bool has_spread_ = false;  // the news of a rank that is lost
};

}  // namespace

std::unique_ptr<Leg> make_node_wire(Plan &plan, std::vector<int> edges) { return std::make_unique<NodeWireLeg>(plan, std::move(edges)); }

}  // namespace halocline
