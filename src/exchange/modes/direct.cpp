// Mode direct, for edges whose fields both ranks of a node can read: nothing is packed. A rank announces that its fields are ready. Once
// the neighbour has announced the same, the rank copies from the neighbour's interior into its own halo, and then announces that it has
// read. There are two counters, ready and read. In mode view the solver reads the interior instead, and the rank announces the release of
// its views. Where fields may move between rounds, it writes their places before it announces that they are ready.
// Source: Simmendinger et al., section 3.3, figures 3 (1-copy) and 4 (0-copy).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/counter.hpp"
#include "base/stream.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"
#include "exchange/handshake.hpp"
#include "exchange/modes/peer_list.hpp"

namespace halocline::core {
namespace {

///   my part:  | ready | read by peer 0 | read by peer 1 | ... | places, even rounds | places, odd rounds |
///   ready and the places are written by this rank and read by all its peers. Each read word is written by that peer and read by this rank.
class DirectChannel final : public Channel {
 public:
  DirectChannel(Plan &plan, std::vector<int> edges) : Channel(plan, std::move(edges), false) {}

  Status create() override {
    std::unique_ptr<Descriptors> descriptors;
    HLC_TRY(prepare([&] {
      peers_.make(plan_, edges_);
      descriptors = std::make_unique<Descriptors>(plan_, edges_);
      const auto words_bytes = static_cast<std::int64_t>((1 + peers_.size()) * sizeof(Counter));
      for (const int e : edges_)
        descriptors->mine[static_cast<std::size_t>(e)] = {static_cast<std::int64_t>((1 + peers_.index(e)) * sizeof(Counter)), words_bytes};
      bytes_ = words_bytes + 2 * places_bytes();
      return Status::ok;
    }));
    HLC_TRY(agree(*plan_.communicator, plan_.comm, create_shared_memory(*plan_.communicator, bytes_, segment_)));
    HLC_TRY(swap_descriptors(plan_, edges_, descriptors));
    ready_ = counter(plan_.topology->member(), 0);
    places_ = segment_.part(plan_.topology->member()) + bytes_ - 2 * places_bytes();
    for (const int e : edges_)
      connect(peers_.of(e), descriptors->mine[static_cast<std::size_t>(e)], descriptors->theirs[static_cast<std::size_t>(e)]);
    return Status::ok;
  }

  void parts_changed() override { peers_.parts_changed(plan_, edges_); }

  Status open() override {
    round_ += 1;
    awaited_peers_ = 0;
    for (Peer &p : peers_.all()) {
      p.read_before = p.read_in;
      if (p.gives > 0) p.read_in = round_;
      p.unread = p.incoming;
      p.awaited = p.incoming > 0;
      awaited_peers_ += p.awaited ? 1 : 0;
    }
    return Status::ok;
  }

  Status launched() override {
    // SYNC read-before-moved (pairs with close): two rounds later this slot is rewritten; a round closes after the one before it was read.
    std::copy(plan_.places.begin(), plan_.places.end(), reinterpret_cast<FieldPlace *>(places_ + slot()));
    // SYNC interior-before-ready (pairs with poll_several)
    notify(*ready_, round_);
    notified_ = true;
    return Status::ok;
  }

  /// Names all edges that this rank reads from one peer.
  Status poll_several(Edges *received) override {
    if (awaited_peers_ == 0) return Status::again;
    for (Peer &p : peers_.all()) {
      // SYNC interior-before-ready (pairs with launched)
      if (!p.awaited || !reached(*p.ready, round_)) continue;
      p.awaited = false;
      awaited_peers_ -= 1;
      // It released the views of the round before first. That word is what close looks at.
      if (plan_.options.mode == HLC_MODE_VIEW) fetch_to_read(reinterpret_cast<const char *>(p.read_by_peer), 1);
      *received = peers_.incoming_of(p);
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int) const override { return nullptr; }

  std::span<const FieldPlace> places(int e) const override {
    return {reinterpret_cast<const FieldPlace *>(peers_.of(e).places + slot()), plan_.places.size()};
  }

  Status release(int e) override { return release_several({&e, 1}); }

  Status release_several(Edges edges) override {
    for (const int e : edges) {
      Peer &from = peers_.of(e);
      if (--from.unread > 0) continue;
      // SYNC read-before-overwrite (pairs with close), read-before-moved (pairs with launched): my loads of its interior precede the word.
      notify(*from.read_by_me, round_);
      notified_ = true;
    }
    return Status::ok;
  }

  Status close(int *rank) override {
    for (const Peer &p : peers_.all()) {
      // SYNC read-before-overwrite (pairs with release_several), read-before-moved (pairs with launched)
      if (reached(*p.read_by_peer, plan_.views_out ? p.read_before : p.read_in)) continue;
      *rank = p.rank;
      return Status::again;
    }
    fetch_words();
    return Status::ok;
  }

  std::int64_t memory_bytes() const override { return bytes_; }
  WakeUp wake_up() const override { return WakeUp::by_doorbell; }

 private:
  void ring_peers() override { plan_.communicator->doorbell().ring_all(peers_.members()); }

  struct Peer : PeerOfEdges {
    const Counter *ready = nullptr;  // in the peer's part: the round whose interior may be read
    const Counter *read_by_peer = nullptr;  // in my part: last round in which the peer has read all it needs from me
    const char *places = nullptr;  // in the peer's part: where its fields are, in two slots
    Counter *read_by_me = nullptr;  // in the peer's part: the last round in which I have read all I need from it
    std::size_t unread = 0;  // edges still to be read in this round
    bool awaited = false;  // it has not announced in this round that it is ready
    std::uint64_t read_in = 0;  // the last round in which the peer reads from me
    std::uint64_t read_before = 0;  // the same, before the running round
  };

  /// The words that the next round writes first, and that peers have read in this one. The fence of wake_peers would wait for their lines.
  void fetch_words() {
    const auto fetch = [](const Counter *word) { fetch_to_write(reinterpret_cast<const char *>(word), 1); };
    fetch(ready_);
    for (Peer &p : peers_.all()) fetch(p.read_by_me);
  }

  Counter *counter(Member member, std::int64_t offset) { return reinterpret_cast<Counter *>(segment_.part(member) + offset); }

  void connect(Peer &p, const Descriptor &mine, const Descriptor &theirs) {
    p.ready = counter(p.member, 0);
    p.read_by_peer = counter(plan_.topology->member(), mine.a);
    p.read_by_me = counter(p.member, theirs.a);
    p.places = segment_.part(p.member) + theirs.b;
  }

  /// The bytes of a slot of the places, on cache lines of its own.
  std::int64_t places_bytes() const {
    return round_up(static_cast<std::int64_t>(plan_.places.size() * sizeof(FieldPlace)), static_cast<std::int64_t>(kLinePair));
  }
  /// Where the running round's slot begins.
  std::int64_t slot() const { return static_cast<std::int64_t>(round_ % 2) * places_bytes(); }

  SharedMemory segment_;
  PeerList<Peer> peers_;
  int awaited_peers_ = 0;
  Counter *ready_ = nullptr;
  char *places_ = nullptr;  // mine, in two slots
  std::uint64_t round_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Channel> make_direct(Plan &plan, std::vector<int> edges) { return std::make_unique<DirectChannel>(plan, std::move(edges)); }

}  // namespace halocline::core
