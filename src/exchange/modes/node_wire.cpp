// How mode notify_node reaches other nodes: one write with one notification moves all that the ranks of this node send to those of another.
// The ranks pack into one buffer in the node's memory, and the last to pack sends it. At the other node it is written to memory that all
// ranks there unpack from. Between two nodes there is an aggregate in each direction (aggregates.hpp). node_links.cpp makes the memory and
// the connections.
// Source: Simmendinger et al., sections 3 and 4.3.
//
// A round has one write in each direction for each pair of nodes, even if nothing moves in it. So all ranks know what to wait for, and no
// write is needed to announce that a slot has been unpacked. A rank ends a round only when the other nodes' aggregates of it have arrived.
// By then each rank there had unpacked the round before, or it would not have packed.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/counter.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/network/request_engine.hpp"
#include "exchange/buffers.hpp"
#include "exchange/modes/node_links.hpp"

namespace halocline::core {
namespace {

constexpr std::uint64_t kNoticeLeaves_ms = 200;

class NodeWireChannel final : public Channel {
 public:
  NodeWireChannel(Plan &plan, std::vector<int> edges) : Channel(plan, std::move(edges)), network_(*plan.network), links_(plan, edges_) {
    waiting_.reserve(edges_.size());
  }

  Status create() override { return links_.create(); }

  Status open() override {
    round_ += 1;
    waiting_.clear();
    for (Link &link : links_.all()) {
      link.share = 0, link.left = 0, link.counted = false, link.arrived = false, link.placed = false;
      link.channel->in.expect(0);
    }
    for (const int e : edges_) {
      Link &link = links_.of(e);
      link.share += round_up(part(e).out, kChunkAlignment);
      link.left += part(e).out > 0 ? 1 : 0;
      if (part(e).in > 0) waiting_.push_back(e);
    }
    return Status::ok;
  }

  /// In a round as planned all ranks have fixed places, and the receivers find the data where they found them before. In other rounds a
  /// rank does not know what the rest of the node sends. It then takes room for all its edges when it packs the first.
  Status place(int e, void **buffer) override {
    HLC_TRY(progress());
    Link &link = links_.of(e);
    if (!link.is_free(round_)) return Status::again;
    if (!link.placed) {
      link.next = link.head_bytes + (plan_.whole_round ? link.aggregate.my_place : link.take_room(round_));
      link.placed = true;
    }
    char *slot = link.send[round_ % kSlots];
    begin_in(slot, links_.edge_link(e).number) = static_cast<std::uint64_t>(link.next);
    *buffer = slot + link.next;
    return Status::ok;
  }

  Status send(int e) override {
    Link &link = links_.of(e);
    link.next += round_up(part(e).out, kChunkAlignment);
    link.left -= 1;
    if (link.left == 0) count_me(link);
    return Status::ok;
  }

  /// Ranks that send nothing to a node are counted too, so that the last one is known.
  Status launched() override {
    count_idle();
    return Status::ok;
  }

  Status poll(int *e) override {
    HLC_TRY(progress());
    count_idle();
    for (int &candidate : waiting_) {
      if (!links_.of(candidate).has_arrived()) continue;
      HLC_TRY(check_place(candidate));
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override {
    const NodeLinks::EdgeLink &at = links_.edge_link(e);
    char *slot = links_.all()[at.link].receive[round_ % kSlots];
    return slot + begin_in(slot, at.peer_number);
  }

  /// The next round's count_me announces it (unpacked-before-packed).
  Status release(int) override { return Status::ok; }

  /// Ok once all other nodes' aggregates of this round have arrived, even those without data for this rank. What this rank has sent must
  /// have left, too.
  Status close(int *rank) override {
    HLC_TRY(progress());
    count_idle();
    for (Link &link : links_.all()) {
      if (link.counted && link.has_arrived() && link.posted[0] == 0 && link.posted[1] == 0) continue;
      *rank = link.some_rank;
      return Status::again;
    }
    return Status::ok;
  }

  /// Nothing follows the aggregates of the last round.
  Status settle(int *rank) override { return round_ == 0 ? Status::ok : close(rank); }

  Status look_for_lost() override {
    if (const std::uint64_t word = links_.words().lost.load(std::memory_order_relaxed); word != 0) return end_for(Loss::of(word));
    for (Link &link : links_.all()) {
      // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
      if (reached(link.words->loss, 1)) return end_for(Loss::of(notice_in(link.target_at)));
      if (is_lost(*link.channel)) return lose(*link.channel, "the peer accepts no messages");
    }
    return Status::ok;
  }

  /// The first rank of the node that detects a failure decides which rank is reported.
  void report_lost(int rank) override {
    std::uint64_t no_loss = 0;
    if (links_.words().lost.compare_exchange_strong(no_loss, Loss{rank, plan_.topology->rank()}.word(), std::memory_order_relaxed))
      plan_.communicator->ring_node();
    spread_notice();
  }

  bool outlives_failure() const override { return true; }

  void abandon() override { links_.abandon(); }
  WakeUp wake_up() const override { return network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling; }
  bool knows_who() const override { return false; }
  const std::vector<Member> &partners() const override { return links_.partners(); }
  std::int64_t network_writes() const override { return links_.channels().writes(); }

  std::int64_t memory_bytes() const override { return links_.memory_bytes(); }

 private:
  void ring_peers() override { plan_.communicator->doorbell().ring_all(links_.partners()); }

  using Link = NodeLinks::Link;

  /// Where the data of an edge begin was received from another node and is used as an address, so it is checked.
  Status check_place(int e) const {
    const NodeLinks::EdgeLink &at = links_.edge_link(e);
    const Link &link = links_.all()[at.link];
    const std::uint64_t begin = begin_in(link.receive[round_ % kSlots], at.peer_number);
    if (lies_in_slot(link.aggregate, begin, part(e).in)) return Status::ok;
    return fail(Status::mismatch,
                "a swap of %s: rank %d received an invalid message from rank %d on host %s: its %lld bytes begin at %llu of %lld",
                plan_.text().c_str(), plan_.topology->rank(), edge(e).rank, edge(e).host.c_str(), static_cast<long long>(part(e).in),
                static_cast<unsigned long long>(begin), static_cast<long long>(slot_bytes(link.aggregate, link.aggregate.in)));
  }

  void count_idle() {
    for (Link &link : links_.all())
      if (!link.counted && link.left == 0 && link.is_free(round_)) count_me(link);
  }

  /// This rank has packed all, and has unpacked the round before. The last rank of the node to be counted sends.
  void count_me(Link &link) {
    link.counted = true;
    // SYNC packed-before-sent (pairs with itself: the last rank)
    // SYNC unpacked-before-packed (pairs with has_arrived, at the other node)
    if (link.packing(round_).packed.fetch_add(1, std::memory_order_acq_rel) + 1 == link.aggregate.members.size()) send_aggregate(link);
  }

  void send_aggregate(Link &link) {
    const std::size_t slot = round_ % kSlots;
    AggregateWords::Packing &state = link.packing(round_);
    const auto used = static_cast<std::int64_t>(state.used.load(std::memory_order_relaxed));
    const std::int64_t bytes = link.head_bytes + (plan_.whole_round ? link.aggregate.planned : used);
    state.used.store(0, std::memory_order_relaxed);
    state.packed.store(0, std::memory_order_relaxed);
    state.further += link.channel->out.pieces(bytes) - 1;
    further_in(link.send[slot]) = state.further;
    link.posted[slot] = round_;
    link.channel->out.send(round_, slot, link.send[slot], bytes);
  }

  /// Drives progress, notifies the node's ranks of sent aggregates that have left, and checks whether a write of this rank has failed.
  Status progress() {
    const SlotChannel *failed = links_.channels().find_failed();
    for (Link &link : links_.all())
      for (std::size_t slot = 0; slot < kSlots; ++slot)
        if (link.note_left(slot)) notified_ = true;
    return failed ? lose(*failed, failed->failure()) : Status::ok;
  }

  /// The leader there has accepted nothing for a while, though it was reached before and no transfer to it is under way. A process that
  /// computes or is stopped still accepts writes, and one that is flooded has transfers under way.
  bool is_lost(const SlotChannel &channel) const {
    const int rank = channel.rank();
    return network_.liveness()->has_lost(rank, Liveness::kLost_ns) && !network_.requests()->failures().is_on_its_way(rank) &&
           !channel.is_held();
  }

  /// This rank has detected that a rank is lost. Another rank of this node may have reported a different one before.
  Status lose(const SlotChannel &channel, const char *reason) {
    report_lost(channel.rank());
    const Loss known = Loss::of(links_.words().lost.load(std::memory_order_relaxed));
    if (known.rank != channel.rank()) return end_without(known);
    return fail(Status::peer_died, "rank %d cannot reach %s over the network: %s", plan_.topology->rank(), channel.name().c_str(), reason);
  }

  /// Another rank detected the failure: this one fails for the same reason.
  Status end_for(Loss loss) {
    std::uint64_t word = 0;
    if (links_.words().lost.compare_exchange_strong(word, loss.word(), std::memory_order_relaxed)) {
      word = loss.word();
      plan_.communicator->ring_node();
    }
    spread_notice();
    return end_without(Loss::of(word));
  }

  /// The error of a rank that ends its round because another one is lost.
  Status end_without(Loss known) const {
    return fail(Status::peer_died, "round aborted on rank %d: %s failed (detected by rank %d)", plan_.topology->rank(),
                plan_.name_of(known.rank).c_str(), known.finder);
  }

  /// Sends the notice to all other nodes that this rank reaches, once. Ranks of this node that do so at the same time send the same.
  void spread_notice() {
    if (std::exchange(has_spread_, true)) return;
    const std::uint64_t word = links_.words().lost.load(std::memory_order_relaxed);
    network_.note_lost(Loss::of(word).rank);
    for (Link &link : links_.all()) {
      if (link.channel->rank() == Loss::of(word).rank) continue;
      std::memcpy(link.notice_at, &word, sizeof word);
      link.channel->send_notice();
    }
    flush_notice();
  }

  /// Waits until the notices have left, for this rank may stop driving progress afterwards. The wait for a node that accepts nothing is
  /// short.
  void flush_notice() {
    Wait wait(*plan_.communicator, WakeUp::by_polling);
    const auto has_left = [](const Link &link) { return link.channel->notice_sent(); };
    const auto look = [&] { return std::all_of(links_.all().begin(), links_.all().end(), has_left) ? Status::ok : Status::again; };
    const auto no_failure = [] { return Status::ok; };
    static_cast<void>(wait_until(wait, look, no_failure, kNoticeLeaves_ms));
  }

  Network &network_;
  NodeLinks links_;
  std::vector<int> waiting_;
  std::uint64_t round_ = 0;
  bool has_spread_ = false;  // the notice of a lost rank was sent
};

}  // namespace

std::unique_ptr<Channel> make_node_wire(Plan &plan, std::vector<int> edges) {
  return std::make_unique<NodeWireChannel>(plan, std::move(edges));
}

}  // namespace halocline::core
