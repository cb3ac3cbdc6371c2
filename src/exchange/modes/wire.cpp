// How modes notify and direct reach ranks of other nodes. What a neighbour sends is written over the network straight into the receive
// buffer, and the write's immediate data announce it. There are two slots per edge. The receiver announces that it has unpacked one, and
// the sender checks that before it writes the slot again. The network may deliver in any order. So each slot has its own counters, and
// each piece of a message too long for one write is counted.
// Source: Simmendinger et al., section 3.1; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "base/counter.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/network/network_transport.hpp"
#include "exchange/buffers.hpp"
#include "exchange/channel.hpp"
#include "exchange/handshake.hpp"

namespace halocline::core {
namespace {

using transport::Peer;
using transport::RemoteKey;

constexpr std::size_t kWireSlots = 2;
constexpr std::int64_t kWordBytes = 64;  // what an announcement without data writes: one word on its own cache line

/// The kinds of immediate data: data of a slot have arrived, a slot has been unpacked, the peer can be reached.
enum : std::size_t { arrived_0, arrived_1, freed_0, freed_1, greeted, wire_kinds };

/// What the peer needs to write to its edge.
struct WireDescriptor {
  RankAddress rank;
  RemoteKey memory;
  std::int64_t word = 0, slot = 0, slot_distance = 0;  // offsets in the memory
  std::array<std::uint64_t, wire_kinds> immediates{};
};

/// One edge: the counters that the peer's writes raise, and the writes to the peer.
struct WireEnd {
  std::array<Counter, wire_kinds> counters;
  std::array<std::uint64_t, wire_kinds> my_immediates{};
  std::size_t registered = 0;  // the number of registered counters
  transport::Address address;
  bool met = false;
  std::uint64_t sent = 0, received = 0;
  std::array<std::uint64_t, kWireSlots> awaited{};  // per slot: the value of its arrived counter once all pieces of the round are there
  std::array<std::vector<Transfer>, kWireSlots> data;
  std::array<Transfer, kWireSlots> freeing;
  Transfer greeting;

  bool is_quiet() const {
    for (std::size_t slot = 0; slot < kWireSlots; ++slot) {
      for (const Transfer &piece : data[slot])
        if (!is_done(piece)) return false;
      if (!is_done(freeing[slot])) return false;
    }
    return true;
  }
  /// Withdraws transfers that still wait for room in the endpoint.
  void withdraw(NetworkEndpoint &endpoint) {
    endpoint.withdraw(greeting);
    for (std::size_t slot = 0; slot < kWireSlots; ++slot) {
      endpoint.withdraw(freeing[slot]);
      for (Transfer &piece : data[slot]) endpoint.withdraw(piece);
    }
  }
  void release_peer(NetworkEndpoint &endpoint) {
    for (std::size_t kind = 0; kind < registered; ++kind) endpoint.release_counter(my_immediates[kind]);
    withdraw(endpoint);
    if (met) endpoint.release_peer(address);
  }

  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  static bool is_done(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) == Transfer::State::at_rest; }
  static bool is_over(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) != Transfer::State::under_way; }
};

/// The memory of a channel that the network accesses.
///
///   receive buffer:  | word of edge 0, 1, ... | slot 0 of edge 0, 1, ... | slot 1 of edge 0, 1, ... |
///   send buffer:     | one word               | slot 0 of edge 0, 1, ... | slot 1 of edge 0, 1, ... |
struct WireBuffers {
  NetworkSegment receive, send;
  std::int64_t words = 0;  // their bytes
  ChunkLayout in, out;

  Status open(const Plan &plan, const std::vector<int> &edges, NetworkEndpoint &endpoint) {
    words = static_cast<std::int64_t>(edges.size()) * kWordBytes;
    in = lay_out(plan, edges, &Edge::space_in);
    out = lay_out(plan, edges, &Edge::space_out);
    HLC_TRY(receive.open(endpoint, words + static_cast<std::int64_t>(kWireSlots) * in.bytes, NetworkSegment::Use::for_peers));
    return send.open(endpoint, kWordBytes + static_cast<std::int64_t>(kWireSlots) * out.bytes, NetworkSegment::Use::for_me);
  }
  char *incoming(int e, std::uint64_t slot) const {
    return receive.base() + words + static_cast<std::int64_t>(slot) * in.bytes + in.offset[static_cast<std::size_t>(e)];
  }
  char *outgoing(int e, std::uint64_t slot) const {
    return send.base() + kWordBytes + static_cast<std::int64_t>(slot) * out.bytes + out.offset[static_cast<std::size_t>(e)];
  }
  std::int64_t bytes() const { return receive.bytes() + send.bytes(); }
};

/// Makes a transfer of one word, which announces something to the peer. It is read from the beginning of the send buffer.
void aim_wire_word(Transfer &word, std::size_t kind, const WireDescriptor &descriptor, const Transfer &model) {
  word.aim_as(model);
  word.from = model.from;
  word.bytes = sizeof(std::uint64_t);
  word.address = descriptor.memory.address + static_cast<std::uint64_t>(descriptor.word);
  word.immediate = descriptor.immediates[kind];
}

class WireChannel final : public Channel {
 public:
  WireChannel(Plan &plan, std::vector<int> edges)
      : Channel(plan, std::move(edges)), network_(plan.context->network()), endpoint_(*network_.endpoint()) {}

  ~WireChannel() override {
    for (End &from : ends_) from.release_peer(endpoint_);
    if (is_at_rest()) return;
    remains_->buffers = std::move(buffers_);
    remains_->ends = std::move(ends_);
    leak(std::move(remains_));
  }

  Status create() override {
    std::unique_ptr<DescriptorsOf<WireDescriptor>> descriptors;
    HLC_TRY(prepare([&] { return name_me(make_buffers(descriptors)); }));
    HLC_TRY(swap_descriptors(plan_, edges_, descriptors));
    HLC_TRY(prepare([&] { return name_me(connect_all(descriptors->theirs)); }));
    return greet();
  }

  Status open() override {
    waiting_.clear();
    for (const int e : edges_) {
      End &at = end(e);
      if (part(e).out > 0) at.sent += 1;
      if (part(e).in == 0) continue;
      at.received += 1;
      at.awaited[at.received % kWireSlots] += pieces(part(e).in);
      waiting_.push_back(e);
    }
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    HLC_TRY(progress());
    const End &to = end(e);
    // Messages use slots 0 and 1 in turn: before message m, (m - 1) / 2 have used its slot.
    // SYNC unpacked-before-rewrite (pairs with release)
    if (!reached(to.counters[freed_0 + to.sent % kWireSlots], (to.sent - 1) / kWireSlots)) return Status::again;
    *buffer = buffers_.outgoing(e, to.sent % kWireSlots);
    return Status::ok;
  }

  Status send(int e) override {
    const std::uint64_t slot = end(e).sent % kWireSlots;
    std::int64_t left = part(e).out;
    for (Transfer &piece : end(e).data[slot]) {
      if (left <= 0) break;
      piece.bytes = std::min(left, endpoint_.most_bytes());
      left -= piece.bytes;
      endpoint_.start(piece);
      writes_ += 1;
    }
    return Status::ok;
  }

  Status poll(int *e) override {
    HLC_TRY(progress());
    for (int &candidate : waiting_) {
      const End &from = end(candidate);
      const std::uint64_t slot = from.received % kWireSlots;
      // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
      if (!reached(from.counters[arrived_0 + slot], from.awaited[slot])) continue;
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override {
    const auto at = static_cast<std::size_t>(position_[static_cast<std::size_t>(e)]);
    return buffers_.incoming(e, ends_[at].received % kWireSlots);
  }

  Status release(int e) override {
    // SYNC unpacked-before-rewrite (pairs with place)
    endpoint_.start(end(e).freeing[end(e).received % kWireSlots]);
    writes_ += 1;
    return Status::ok;
  }

  /// Ok once all that this rank has sent has left its process: no rank then waits for it while it is outside the library.
  Status close(int *rank) override {
    HLC_TRY(progress());
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (!ends_[i].is_quiet()) {
        *rank = edge(edges_[i]).rank;
        return Status::again;
      }
    return Status::ok;
  }

  /// Ok once all slots that this rank has filled have been unpacked: then nothing that is meant for this channel is under way any more.
  Status settle(int *rank) override {
    HLC_TRY(close(rank));
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const End &to = ends_[i];
      *rank = edge(edges_[i]).rank;
      if (!to.is_quiet() || !reached(to.counters[freed_0], to.sent / kWireSlots) ||
          !reached(to.counters[freed_1], (to.sent + 1) / kWireSlots))
        return Status::again;
    }
    return Status::ok;
  }

  bool outlives_failure() const override { return true; }
  WakeUp wake_up() const override { return network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling; }

  std::int64_t network_writes() const override { return writes_; }
  std::int64_t memory_bytes() const override { return buffers_.bytes() + static_cast<std::int64_t>(ends_.size() * sizeof(End)); }

 private:
  using End = WireEnd;

  /// What libfabric may still read or write when the channel is destroyed because a plan could not be made.
  struct Remains : LeakedOnFailure {
    WireBuffers buffers;
    std::vector<End> ends;
  };

  End &end(int e) { return ends_[static_cast<std::size_t>(position_[static_cast<std::size_t>(e)])]; }
  std::uint64_t pieces(std::int64_t bytes) const {
    return static_cast<std::uint64_t>((bytes + endpoint_.most_bytes() - 1) / endpoint_.most_bytes());
  }

  /// Adds this rank to an error of the transport, which knows no ranks.
  Status name_me(Status status) const {
    return failed(status) ? fail(status, "rank %d: %s", plan_.context->rank(), error_message()) : status;
  }

  Status make_buffers(std::unique_ptr<DescriptorsOf<WireDescriptor>> &descriptors) {
    HLC_TRY(buffers_.open(plan_, edges_, endpoint_));
    position_.assign(plan_.edges.size(), -1);
    waiting_.reserve(edges_.size());
    remains_ = std::make_unique<Remains>();
    ends_ = std::vector<End>(edges_.size());
    descriptors = std::make_unique<DescriptorsOf<WireDescriptor>>(plan_, edges_);
    for (std::size_t i = 0; i < edges_.size(); ++i) descriptors->mine[static_cast<std::size_t>(edges_[i])] = make_descriptor(i);
    return Status::ok;
  }

  WireDescriptor make_descriptor(std::size_t i) {
    const auto e = static_cast<std::size_t>(edges_[i]);
    position_[e] = static_cast<int>(i);
    for (std::size_t kind = 0; kind < wire_kinds; ++kind, ++ends_[i].registered)
      ends_[i].my_immediates[kind] = endpoint_.register_counter(&ends_[i].counters[kind]);
    return {network_.liveness()->mine(),
            buffers_.receive.remote(),
            static_cast<std::int64_t>(i) * kWordBytes,
            buffers_.words + buffers_.in.offset[e],
            buffers_.in.bytes,
            ends_[i].my_immediates};
  }

  Status connect_all(const std::vector<WireDescriptor> &theirs) {
    for (const int e : edges_) HLC_TRY(connect(e, theirs[static_cast<std::size_t>(e)]));
    return Status::ok;
  }

  Status connect(int e, const WireDescriptor &descriptor) {
    End &to = end(e);
    Transfer model;
    HLC_TRY(network_.liveness()->know(edge(e).rank, descriptor.rank));
    HLC_TRY(endpoint_.resolve(descriptor.rank.address, &model.peer));
    to.address = descriptor.rank.address;
    to.met = true;
    model.failures = network_.count_failures();
    model.desc = buffers_.send.desc();
    model.from = buffers_.send.base();
    model.key = descriptor.memory.key;
    for (std::size_t slot = 0; slot < kWireSlots; ++slot) {
      make_pieces(e, slot, descriptor, model);
      aim_wire_word(to.freeing[slot], freed_0 + slot, descriptor, model);
    }
    aim_wire_word(to.greeting, greeted, descriptor, model);
    return Status::ok;
  }

  void make_pieces(int e, std::size_t slot, const WireDescriptor &descriptor, const Transfer &model) {
    std::vector<Transfer> &data = end(e).data[slot];
    data = std::vector<Transfer>(pieces(edge(e).space_out));
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::int64_t before = static_cast<std::int64_t>(i) * endpoint_.most_bytes();
      data[i].aim_as(model);
      data[i].from = buffers_.outgoing(e, slot) + before;
      data[i].address = descriptor.memory.address +
                        static_cast<std::uint64_t>(descriptor.slot + static_cast<std::int64_t>(slot) * descriptor.slot_distance + before);
      data[i].immediate = descriptor.immediates[arrived_0 + slot];
    }
  }

  bool is_at_rest() const {
    return std::all_of(ends_.begin(), ends_.end(), [](const End &to) { return to.is_quiet() && End::is_over(to.greeting); });
  }

  /// Each side writes a word to the other and waits for the other's. So the connections work before the first round, and a peer that cannot
  /// be reached is an error of the plan.
  Status greet() {
    for (End &to : ends_) endpoint_.start(to.greeting);
    return prepare([&] { return await_greetings(); });
  }

  Status await_greetings() {
    Wait wait(*plan_.context, wake_up());
    int silent = -1;
    const auto look = [&] {
      HLC_TRY(progress());
      silent = find_silent();
      return silent < 0 ? Status::ok : Status::again;
    };
    const std::int64_t grace_ns = -plan_.context->timeout_ns() / 2;
    return wait_until(wait, look, [&] { return wait.timed_out(grace_ns) ? unreached(silent, "") : Status::ok; });
  }

  /// The reason is known if the provider has reported an error, else "".
  Status unreached(int rank, const char *reason) const {
    return fail(Status::timeout,
                "rank %d does not reach rank %d on host %s over the network, %s%s%s (HALOCLINE_INTERFACE names another interface, "
                "HALOCLINE_PROVIDER=none does without)",
                plan_.context->rank(), rank, plan_.other_host(rank), endpoint_.description().c_str(), *reason ? ": " : "", reason);
  }

  /// A rank whose greeting has not arrived or to which this rank's is not complete, -1 if there is none.
  int find_silent() const {
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (!reached(ends_[i].counters[greeted], 1) || !End::is_done(ends_[i].greeting)) return edge(edges_[i]).rank;
    return -1;
  }

  /// Drives progress, and finds out whether a write of this rank has failed.
  Status progress() {
    network_.poll();
    if (network_.failures() == failures_) return Status::ok;
    failures_ = network_.failures();
    for (std::size_t i = 0; i < ends_.size(); ++i) HLC_TRY(find_failure(ends_[i], edge(edges_[i]).rank));
    return Status::ok;
  }

  Status find_failure(const End &to, int rank) const {
    const auto check = [&](const Transfer &transfer) {
      if (transfer.state.load(std::memory_order_acquire) != Transfer::State::failed) return Status::ok;
      return fail(Status::peer_died, "rank %d cannot reach rank %d on host %s over the network (any more): %s", plan_.context->rank(), rank,
                  plan_.other_host(rank), endpoint_.text_of(transfer.error));
    };
    if (to.greeting.state.load(std::memory_order_acquire) == Transfer::State::failed)
      return unreached(rank, endpoint_.text_of(to.greeting.error));
    for (std::size_t slot = 0; slot < kWireSlots; ++slot) {
      HLC_TRY(check(to.freeing[slot]));
      for (const Transfer &piece : to.data[slot]) HLC_TRY(check(piece));
    }
    return Status::ok;
  }

  Network &network_;
  NetworkEndpoint &endpoint_;
  std::unique_ptr<Remains> remains_;  // there if there are ends
  WireBuffers buffers_;
  std::vector<End> ends_;  // as edges_
  std::vector<int> position_;  // edge -> index in ends_
  std::vector<int> waiting_;
  std::uint64_t failures_ = 0;
  std::int64_t writes_ = 0;
};

}  // namespace

std::unique_ptr<Channel> make_wire(Plan &plan, std::vector<int> edges) { return std::make_unique<WireChannel>(plan, std::move(edges)); }

}  // namespace halocline::core
