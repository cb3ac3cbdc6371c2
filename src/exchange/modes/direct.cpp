// Mode direct, for edges whose fields both ranks of a node can read: nothing is packed. I say that my fields are ready, copy from the
// neighbour's interior into my halo as soon as it says the same, and tell it when I have read. Two counters, ready and read. In mode view the
// solver reads the interior instead, and I tell when it has given its views back.
// Source: Simmendinger et al., section 3.3, figures 3 (1-copy) and 4 (0-copy).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "engine/notification.hpp"
#include "engine/segment.hpp"
#include "exchange/handshake.hpp"
#include "exchange/leg.hpp"

namespace halocline {
namespace {

///   my part:  | ready | read by peer 0 | read by peer 1 | ... |
///   ready is written by me and read by all my peers; each read word is written by that one peer and read by me.
class DirectLeg final : public Leg {
 public:
  using Leg::Leg;

  Status create() override {
    std::unique_ptr<Cards> cards;
    HLC_TRY(prepare([&] {
      list_peers();
      waiting_.reserve(edges_.size());
      cards = std::make_unique<Cards>(plan_, edges_);
      for (const int e : edges_)
        cards->mine[static_cast<std::size_t>(e)].a = static_cast<std::int64_t>((1 + peer_index(e)) * sizeof(Counter));
      return Status::ok;
    }));
    bytes_ = static_cast<std::int64_t>((1 + peers_.size()) * sizeof(Counter));
    Context &context = *plan_.context;
    HLC_TRY(agree(context, plan_.comm, create_segment(context, bytes_, segment_)));
    HLC_TRY(swap_cards(plan_, edges_, cards));
    ready_ = counter(context.member(), 0);
    for (const int e : edges_) connect(peer(e), cards->mine[static_cast<std::size_t>(e)].a, cards->theirs[static_cast<std::size_t>(e)].a);
    return Status::ok;
  }

  Status open() override {
    round_ += 1;
    waiting_.clear();
    for (Peer &p : peers_) p.reads = 0, p.read_before = p.read_in;
    for (const int e : edges_) {
      if (part(e).out > 0) peer(e).read_in = round_;
      if (part(e).in == 0) continue;
      peer(e).reads += 1;
      waiting_.push_back(e);
    }
    return Status::ok;
  }

  Status place(int, void **buffer) override {
    *buffer = nullptr;
    return Status::ok;
  }
  Status send(int) override { return Status::ok; }

  Status launched() override {
    // SYNC interior-before-ready (pairs with poll)
    notify(*ready_, round_);
    told_ = true;
    return Status::ok;
  }

  Status poll(int *e) override {
    for (int &candidate : waiting_) {
      // SYNC interior-before-ready (pairs with launched)
      if (!reached(*peer(candidate).ready, round_)) continue;
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int) const override { return nullptr; }

  Status release(int e) override {
    Peer &from = peer(e);
    if (--from.reads > 0) return Status::ok;
    // SYNC read-before-overwrite (pairs with close): my loads from the peer's interior come before the word that frees it.
    notify(*from.read_by_me, round_);
    told_ = true;
    return Status::ok;
  }

  void wake_peers() override {
    if (told_) plan_.context->port().ring_all(members_);
    told_ = false;
  }

  Status close(int *rank) override {
    for (Peer &p : peers_) {
      // SYNC read-before-overwrite (pairs with release)
      if (reached(*p.read_by_peer, plan_.views_out ? p.read_before : p.read_in)) continue;
      *rank = p.rank;
      return Status::again;
    }
    return Status::ok;
  }

  std::int64_t memory_bytes() const override { return bytes_; }
  WakeUp wake_up() const override { return WakeUp::by_bell; }

 private:
  /// A rank at the other end of one or several of my edges.
  struct Peer {
    int rank = 0;
    Member member = 0;
    const Counter *ready = nullptr;  // the peer's: round whose interior may be read
    const Counter *read_by_peer = nullptr;  // in my part: last round in which the peer has read all it needs from me
    Counter *read_by_me = nullptr;  // in the peer's part: the same of me
    int reads = 0;  // edges that I still have to read in this round
    std::uint64_t read_in = 0;  // the last round in which the peer reads from me
    std::uint64_t read_before = 0;  // the same, before the running round
  };

  void list_peers() {
    peer_of_.assign(plan_.edges.size(), -1);
    for (const int e : edges_) {
      const auto same = [&](const Peer &p) { return p.rank == edge(e).rank; };
      const auto found = std::find_if(peers_.begin(), peers_.end(), same);
      peer_of_[static_cast<std::size_t>(e)] = static_cast<int>(found - peers_.begin());
      if (found != peers_.end()) continue;
      peers_.push_back({edge(e).rank, edge(e).member});
      members_.push_back(edge(e).member);
    }
  }

  std::size_t peer_index(int e) const { return static_cast<std::size_t>(peer_of_[static_cast<std::size_t>(e)]); }
  Peer &peer(int e) { return peers_[peer_index(e)]; }
  Counter *counter(Member member, std::int64_t offset) { return reinterpret_cast<Counter *>(segment_.part(member) + offset); }

  void connect(Peer &p, std::int64_t mine, std::int64_t theirs) {
    p.ready = counter(p.member, 0);
    p.read_by_peer = counter(plan_.context->member(), mine);
    p.read_by_me = counter(p.member, theirs);
  }

  Segment segment_;
  std::vector<Peer> peers_;
  std::vector<Member> members_;  // of the peers, each once
  std::vector<int> peer_of_;  // edge -> index in peers_
  std::vector<int> waiting_;
  Counter *ready_ = nullptr;
  std::uint64_t round_ = 0;
  bool told_ = false;  // a counter was stored since the peers were last woken
  std::int64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Leg> make_direct(Plan &plan, std::vector<int> edges) { return std::make_unique<DirectLeg>(plan, std::move(edges)); }

}  // namespace halocline
