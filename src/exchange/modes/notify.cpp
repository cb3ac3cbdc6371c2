// Mode notify, for edges inside a node: what a neighbour sends is packed straight into my receive buffer, and a counter announces it.
// Two slots per edge; the sender looks at how many I have freed before it writes one again, so that no skew can hurt it.
// Source: GASPI's notified communication (Simmendinger et al., section 3.1).
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/notification.hpp"
#include "exchange/buffers.hpp"
#include "exchange/handshake.hpp"
#include "exchange/leg.hpp"

namespace halocline {
namespace {

/// The words of one edge in my part of the segment. Both are written by the peer alone, and read by me.
struct EdgeWords {
  Counter arrived;  // how many rounds of data the peer has written into my slots
  Counter freed;    // how many of my rounds the peer has unpacked
};
static_assert(sizeof(EdgeWords) == 2 * kLinePair);

///   my part:  | EdgeWords of edge 0, 1, ... | slot 0 of edge 0, 1, ... | slot 1 of edge 0, 1, ... |
class NotifyLeg final : public Leg {
 public:
  using Leg::Leg;

  Status create() {
    const auto words_bytes = static_cast<std::int64_t>(edges_.size() * sizeof(EdgeWords));
    slots_ = lay_out(plan_, edges_, &Edge::space_in);
    bytes_ = words_bytes + 2 * slots_.bytes;
    Context &context = *plan_.context;
    HLC_TRY(agree(plan_.comm, Segment::create(context.node_comm(), bytes_, segment_)));

    std::vector<Card> mine(plan_.edges.size()), theirs;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const auto e = static_cast<std::size_t>(edges_[i]);
      mine[e] = {static_cast<std::int64_t>(i * sizeof(EdgeWords)), words_bytes + slots_.offset[e], slots_.bytes};
    }
    HLC_TRY(swap_cards(plan_, edges_, mine, theirs));
    ends_.resize(plan_.edges.size());
    waiting_.reserve(edges_.size());
    for (const int e : edges_) connect(e, mine[static_cast<std::size_t>(e)], theirs[static_cast<std::size_t>(e)]);
    return Status::ok;
  }

  Status open() override {
    waiting_.clear();
    for (const int e : edges_) {
      if (part(e).out > 0) end(e).sent += 1;
      if (part(e).in == 0) continue;
      end(e).received += 1;
      waiting_.push_back(e);
    }
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    const End &to = end(e);
    // SYNC unpacked-before-reuse (pairs with release)
    if (to.sent > 2 && !reached(to.my_words->freed, to.sent - 2)) return Status::again;
    *buffer = to.peer_slots + static_cast<std::int64_t>(to.sent % 2) * to.peer_slot_distance;
    return Status::ok;
  }

  Status send(int e) override {
    // SYNC payload-before-arrived (pairs with poll)
    notify(end(e).peer_words->arrived, end(e).sent);
    plan_.context->port().ring(edge(e).member);
    return Status::ok;
  }

  Status poll(int *e) override {
    for (int &candidate : waiting_) {
      // SYNC payload-before-arrived (pairs with send)
      if (!reached(end(candidate).my_words->arrived, end(candidate).received)) continue;
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override {
    const End &from = ends_[static_cast<std::size_t>(e)];
    return from.my_slots + static_cast<std::int64_t>(from.received % 2) * slots_.bytes;
  }

  Status release(int e) override {
    // SYNC unpacked-before-reuse (pairs with place)
    notify(end(e).peer_words->freed, end(e).received);
    plan_.context->port().ring(edge(e).member);
    return Status::ok;
  }

  Status close(int *) override { return Status::ok; }
  std::int64_t memory_bytes() const override { return bytes_; }
  WakeUp wake_up() const override { return WakeUp::by_bell; }

 private:
  /// One edge as this process sees it: my words and slots, and the peer's.
  struct End {
    EdgeWords *my_words = nullptr, *peer_words = nullptr;
    char *my_slots = nullptr, *peer_slots = nullptr;
    std::int64_t peer_slot_distance = 0;
    std::uint64_t sent = 0, received = 0;
  };
  End &end(int e) { return ends_[static_cast<std::size_t>(e)]; }

  void connect(int e, const Card &mine, const Card &theirs) {
    char *my_part = segment_.part(plan_.context->member()), *peer_part = segment_.part(edge(e).member);
    End &made = end(e);
    made.my_words = reinterpret_cast<EdgeWords *>(my_part + mine.a);
    made.peer_words = reinterpret_cast<EdgeWords *>(peer_part + theirs.a);
    made.my_slots = my_part + mine.b;
    made.peer_slots = peer_part + theirs.b;
    made.peer_slot_distance = theirs.c;
  }

  Segment segment_;
  ChunkLayout slots_;
  std::vector<End> ends_;
  std::vector<int> waiting_;
  std::int64_t bytes_ = 0;
};

}  // namespace

Status make_notify(Plan &plan, std::vector<int> edges, std::unique_ptr<Leg> &leg) {
  auto made = std::make_unique<NotifyLeg>(plan, std::move(edges));
  HLC_TRY(made->create());
  leg = std::move(made);
  return Status::ok;
}

}  // namespace halocline
