// Mode notify, for edges inside a node. What a neighbour sends is packed straight into the receiver's buffer. A counter announces it once
// all of a peer's edges of the round are there, or some of them if they are long. There are two slots per edge. Before the sender writes
// one again, it checks how many the receiver has freed, so that skew between ranks does no harm.
// Source: GASPI's notified communication (Simmendinger et al., section 3.1).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/clock.hpp"
#include "base/counter.hpp"
#include "base/pages.hpp"
#include "base/stream.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"
#include "exchange/buffers.hpp"
#include "exchange/handshake.hpp"
#include "exchange/modes/peer_list.hpp"

namespace halocline::core {
namespace {

/// The methods to pack into a peer's slot.
constexpr std::array kWays{Packing::kept, Packing::fetched, Packing::past_caches};
constexpr std::size_t kTrials = 11;  // of each
using Times = std::array<std::int64_t, kTrials>;
/// Edges to one rank are announced together up to this number of bytes. A counter costs as much as some cache lines of data. But a peer should
/// unpack the first of several long edges while the next is packed.
constexpr std::int64_t kAnnouncedTogether = std::int64_t{32} << 10;
/// So many bytes of an edge's slot are prefetched before it is packed. The peer's core has read these lines last; more would not fit the L1
/// cache.
constexpr std::int64_t kFetched = std::int64_t{16} << 10;
constexpr std::int64_t kTrialBytes = std::int64_t{2} << 20;  // the most of an edge that the trial fills

/// The counters of one peer, or of some of its edges, in this rank's part of the segment. Both are written by the peer alone, and read by
/// this rank.
struct PeerWords {
  Counter arrived;  // how many rounds of data the peer has written into my slots
  Counter freed;  // how many of my rounds the peer has unpacked
};
static_assert(sizeof(PeerWords) == 2 * kLinePair);

///   my part:  | PeerWords of peer 0, 1, ... | slot 0 of edge 0, 1, ... | slot 1 of edge 0, 1, ... |
class NotifyChannel final : public Channel {
 public:
  using Channel::Channel;

  Status create() override {
    std::unique_ptr<Descriptors> descriptors;
    HLC_TRY(prepare([&] {
      peers_.make(plan_, edges_, kAnnouncedTogether);
      descriptors = list_descriptors();
      ends_.resize(plan_.edges.size());
      return Status::ok;
    }));
    HLC_TRY(agree(*plan_.communicator, plan_.comm, create_shared_memory(*plan_.communicator, bytes_, segment_)));
    HLC_TRY(swap_descriptors(plan_, edges_, descriptors));
    for (const int e : edges_) connect(e, descriptors->mine[static_cast<std::size_t>(e)], descriptors->theirs[static_cast<std::size_t>(e)]);
    return plan_.copies_cells && plan_.topology->core_per_rank() ? choose_packing() : Status::ok;
  }

  void parts_changed() override { peers_.parts_changed(plan_, edges_); }

  Status open() override {
    awaited_peers_ = 0;
    for (Peer &p : peers_.all()) {
      p.to_pack = p.gives;
      p.to_release = p.incoming;
      p.awaited = p.incoming > 0;
      if (p.gives > 0) p.sent += 1;
      if (p.awaited) p.received += 1;
      awaited_peers_ += p.awaited ? 1 : 0;
    }
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    const End &to = end(e);
    const Peer &peer = peers_.of(e);
    // SYNC unpacked-before-reuse (pairs with release)
    if (peer.sent > 2 && !reached(peer.my_words->freed, peer.sent - 2)) return Status::again;
    *buffer = to.peer_slots + static_cast<std::int64_t>(peer.sent % 2) * to.peer_slot_distance;
    if (fetches_) fetch_to_write(static_cast<const char *>(*buffer), std::min(part(e).out, kFetched));
    return Status::ok;
  }

  Status send(int e) override {
    Peer &peer = peers_.of(e);
    peer.to_pack -= 1;
    if (peer.to_pack == 0 && !past_caches_) announce(peer);
    return Status::ok;
  }

  /// One fence for all edges: it waits until every line has left the core, which takes longer than packing one.
  Status launched() override {
    if (!past_caches_) return Status::ok;
    // SYNC streamed-before-counter (pairs with stream_fence): the counters are raised behind the fence.
    stream_fence();
    for (const Peer &p : peers_.all())
      if (p.gives > 0) announce(p);
    return Status::ok;
  }

  /// Names all that has arrived from one peer.
  Status poll_several(Edges *received) override {
    if (awaited_peers_ == 0) return Status::again;
    for (Peer &p : peers_.all()) {
      // SYNC payload-before-arrived (pairs with announce)
      if (!p.awaited || !reached(p.my_words->arrived, p.received)) continue;
      p.awaited = false;
      awaited_peers_ -= 1;
      *received = peers_.incoming_of(p);
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override {
    return ends_[static_cast<std::size_t>(e)].my_slots + static_cast<std::int64_t>(peers_.of(e).received % 2) * slots_.bytes;
  }

  Status release(int e) override {
    Peer &peer = peers_.of(e);
    if (--peer.to_release > 0) return Status::ok;
    // SYNC unpacked-before-reuse (pairs with place)
    notify(peer.peer_words->freed, peer.received);
    notified_ = true;
    return Status::ok;
  }

  Status close(int *) override { return Status::ok; }
  std::int64_t memory_bytes() const override { return bytes_; }
  WakeUp wake_up() const override { return WakeUp::by_doorbell; }

 private:
  void ring_peers() override { plan_.communicator->doorbell().ring_all(peers_.members()); }

  struct Peer : PeerOfEdges {
    PeerWords *my_words = nullptr, *peer_words = nullptr;
    std::uint64_t sent = 0, received = 0;  // rounds that moved something
    std::size_t to_pack = 0, to_release = 0;  // edges of the running round still to be packed, to be released
    bool awaited = false;  // its data of the running round have not arrived
  };
  /// One edge as this process sees it: my slots, and the peer's.
  struct End {
    char *my_slots = nullptr, *peer_slots = nullptr;
    std::int64_t peer_slot_distance = 0;
  };
  End &end(int e) { return ends_[static_cast<std::size_t>(e)]; }

  /// Lays out my part of the segment: where each peer finds the words and the slots of its edge.
  std::unique_ptr<Descriptors> list_descriptors() {
    const auto words_bytes = static_cast<std::int64_t>(peers_.size() * sizeof(PeerWords));
    slots_ = lay_out(plan_, edges_, &Edge::space_in);
    bytes_ = words_bytes + 2 * slots_.bytes;
    auto descriptors = std::make_unique<Descriptors>(plan_, edges_);
    for (const int edge : edges_) {
      const auto e = static_cast<std::size_t>(edge);
      descriptors->mine[e] = {static_cast<std::int64_t>(peers_.index(edge) * sizeof(PeerWords)), words_bytes + slots_.offset[e],
                              slots_.bytes};
    }
    return descriptors;
  }

  /// A trial takes longer than the rest of planning, so there is one for each size of messages, and later plans use its result.
  Status choose_packing() {
    std::int64_t largest = 1;
    for (const int e : edges_) largest = std::max({largest, edge(e).space_out, edge(e).space_in});
    HLC_TRY(reduce(*plan_.communicator, plan_.communicator->node_comm(), MPI_MAX, &largest, 1));
    const int size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::min(largest, kTrialBytes) - 1)));
    Packing &known = (*plan_.packings)[static_cast<std::size_t>(size)];
    if (known == Packing::not_tried) HLC_TRY(try_packings(largest, &known));
    past_caches_ = known == Packing::past_caches;
    fetches_ = known == Packing::fetched;
    return Status::ok;
  }

  /// The fastest method depends on the size, on the processor and on whether the cores share a cache, which a virtual machine hides. So all
  /// ranks of the node fill their peers' slots and read their own with each method in turn. They take the one with the least total time.
  Status try_packings(std::int64_t largest, Packing *best) {
    std::vector<char> scratch;
    HLC_TRY(halocline::core::prepare(*plan_.communicator, plan_.communicator->node_comm(), [&] {
      scratch.assign(static_cast<std::size_t>(std::min(largest, kTrialBytes)), 1);
      return Status::ok;
    }));
    std::array<Times, kWays.size()> times_ns;
    for (std::size_t i = 0; i < kTrials; ++i)
      for (std::size_t way = 0; way < kWays.size(); ++way) HLC_TRY(time_packing(kWays[way], scratch, &times_ns[way][i]));
    std::array<std::int64_t, kWays.size()> sums_ns;
    std::transform(times_ns.begin(), times_ns.end(), sums_ns.begin(), median);
    HLC_TRY(reduce(*plan_.communicator, plan_.communicator->node_comm(), MPI_SUM, sums_ns.data(), static_cast<int>(sums_ns.size())));
    *best = kWays[static_cast<std::size_t>(std::min_element(sums_ns.begin(), sums_ns.end()) - sums_ns.begin())];
    return Status::ok;
  }

  Status time_packing(Packing way, std::vector<char> &scratch, std::int64_t *time_ns) {
    const auto bytes = static_cast<std::int64_t>(scratch.size());
    HLC_TRY(meet());
    const std::int64_t start = now_ns();
    for (const int e : edges_) pack_as(way, end(e).peer_slots, scratch.data(), std::min(bytes, edge(e).space_out));
    stream_fence();
    HLC_TRY(meet());
    for (const int e : edges_) std::memcpy(scratch.data(), end(e).my_slots, static_cast<std::size_t>(std::min(bytes, edge(e).space_in)));
    *time_ns = now_ns() - start;
    return meet();
  }

  static void pack_as(Packing way, char *to, const char *from, std::int64_t bytes) {
    if (way == Packing::past_caches) return stream_copy(to, from, bytes);
    if (way == Packing::fetched) fetch_to_write(to, std::min(bytes, kFetched));
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  /// A barrier of the node's ranks, with a timeout.
  Status meet() {
    std::int64_t nothing = 0;
    return reduce(*plan_.communicator, plan_.communicator->node_comm(), MPI_MAX, &nothing, 1);
  }

  static std::int64_t median(Times times) {
    std::nth_element(times.begin(), times.begin() + kTrials / 2, times.end());
    return times[kTrials / 2];
  }

  void announce(const Peer &peer) {
    // SYNC payload-before-arrived (pairs with poll_several)
    notify(peer.peer_words->arrived, peer.sent);
    notified_ = true;
  }

  void connect(int e, const Descriptor &mine, const Descriptor &theirs) {
    char *my_part = segment_.part(plan_.topology->member()), *peer_part = segment_.part(edge(e).member);
    End &made = end(e);
    Peer &peer = peers_.of(e);
    peer.my_words = reinterpret_cast<PeerWords *>(my_part + mine.a);
    peer.peer_words = reinterpret_cast<PeerWords *>(peer_part + theirs.a);
    made.my_slots = my_part + mine.b;
    made.peer_slots = peer_part + theirs.b;
    made.peer_slot_distance = theirs.c;
    // The peer has reserved these pages; here they are mapped before the first swaps write to them.
    for (int slot = 0; slot < 2; ++slot) provide_pages(made.peer_slots + slot * theirs.c, edge(e).space_out);
  }

  SharedMemory segment_;
  ChunkLayout slots_;
  std::vector<End> ends_;
  PeerList<Peer> peers_;
  int awaited_peers_ = 0;
  bool fetches_ = false;  // the trial's result: a slot's lines are prefetched for writing
  std::int64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Channel> make_notify(Plan &plan, std::vector<int> edges) { return std::make_unique<NotifyChannel>(plan, std::move(edges)); }

}  // namespace halocline::core
