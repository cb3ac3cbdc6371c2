// How modes notify and direct reach ranks of other nodes. What a neighbour sends is written over the network straight into the receive
// buffer: a channel of two slots per edge, in both directions. The receiver announces each slot that it has unpacked, and the sender checks
// that before it writes the slot again.
// Source: Simmendinger et al., section 3.1; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "engine/network/slot_channel.hpp"
#include "exchange/buffers.hpp"
#include "exchange/channel.hpp"
#include "exchange/handshake.hpp"

namespace halocline::core {
namespace {

constexpr std::size_t kWireSlots = 2;
constexpr std::int64_t kWordBytes = 64;  // what an announcement without data writes: one word on its own cache line

/// What the two ends of an edge send each other.
struct WireDescriptor {
  SlotDescriptor slots;
  std::array<std::uint64_t, SlotForm{.slots = kWireSlots}.immediates()> immediates{};
};

/// The memory of all edges. It is leaked with the channels if the network may still read or write it.
///
///   in:   | word of edge 0, 1, ... | slot 0 of edge 0, 1, ... | slot 1 of edge 0, 1, ... |
///   out:  | one word               | slot 0 of edge 0, 1, ... | slot 1 of edge 0, 1, ... |
struct WireEdges : LeakedOnFailure {
  SlotMemory memory;
  std::int64_t words = 0;  // their bytes
  ChunkLayout in, out;
  SlotChannels channels;

  explicit WireEdges(Network &network)
      : channels(network, "set HALOCLINE_INTERFACE to another interface, or HALOCLINE_PROVIDER=none to use no network", Status::timeout) {}

  Status open(const Plan &plan, const std::vector<int> &edges, Network &network) {
    words = static_cast<std::int64_t>(edges.size()) * kWordBytes;
    in = lay_out(plan, edges, &Edge::space_in);
    out = lay_out(plan, edges, &Edge::space_out);
    HLC_TRY(memory.open(network, words + static_cast<std::int64_t>(kWireSlots) * in.bytes,
                        kWordBytes + static_cast<std::int64_t>(kWireSlots) * out.bytes));
    channels.make(edges.size());
    return Status::ok;
  }
  SlotPlaces places(int e, std::size_t i) const {
    return {static_cast<std::int64_t>(i) * kWordBytes, words + in.offset[static_cast<std::size_t>(e)], in.bytes};
  }
  const char *incoming(int e, std::size_t slot) const {
    return memory.in.base() + words + static_cast<std::int64_t>(slot) * in.bytes + in.offset[static_cast<std::size_t>(e)];
  }
  char *outgoing(int e, std::size_t slot) const {
    return memory.out.base() + kWordBytes + static_cast<std::int64_t>(slot) * out.bytes + out.offset[static_cast<std::size_t>(e)];
  }
};

class WireChannel final : public Channel {
 public:
  WireChannel(Plan &plan, std::vector<int> edges) : Channel(plan, std::move(edges)), network_(*plan.network) {}

  ~WireChannel() override {
    if (!wire_) return;
    wire_->channels.leave();
    if (!wire_->channels.is_ended()) leak(std::move(wire_));
  }

  Status create() override {
    std::unique_ptr<DescriptorsOf<WireDescriptor>> descriptors;
    HLC_TRY(prepare([&] {
      wire_ = std::make_unique<WireEdges>(network_);
      return wire_->channels.name_me(make_channels(descriptors));
    }));
    HLC_TRY(swap_descriptors(plan_, edges_, descriptors));
    HLC_TRY(prepare([&] { return wire_->channels.name_me(connect_all(descriptors->theirs)); }));
    wire_->channels.greet();
    return prepare([&] { return wire_->channels.await_greetings(wake_up()); });
  }

  Status open() override {
    waiting_.clear();
    for (const int e : edges_) {
      if (part(e).in == 0) continue;
      channel(e).in.expect(part(e).in);
      waiting_.push_back(e);
    }
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    HLC_TRY(wire_->channels.progress());
    const SlotSender &to = channel(e).out;
    if (!to.has_room()) return Status::again;
    *buffer = wire_->outgoing(e, to.next_slot());
    return Status::ok;
  }

  Status send(int e) override {
    SlotSender &to = channel(e).out;
    const std::size_t slot = to.next_slot();
    to.send(slot, wire_->outgoing(e, slot), part(e).out);
    return Status::ok;
  }

  Status poll(int *e) override {
    HLC_TRY(wire_->channels.progress());
    for (int &candidate : waiting_) {
      if (!channel(candidate).in.has_arrived()) continue;
      *e = candidate;
      candidate = waiting_.back();
      waiting_.pop_back();
      return Status::ok;
    }
    return Status::again;
  }

  const void *arrived(int e) const override { return wire_->incoming(e, wire_->channels[position(e)].in.slot()); }

  Status release(int e) override {
    channel(e).in.free();
    return Status::ok;
  }

  /// Ok once all that this rank has sent has left its process: no rank then waits for it while it is outside the library.
  Status close(int *rank) override {
    return wait_for(rank, [](const SlotChannel &channel) { return channel.is_quiet(); });
  }

  /// Ok once all slots that this rank has filled have been unpacked: then nothing that is meant for this channel is under way any more.
  Status settle(int *rank) override {
    return wait_for(rank, [](const SlotChannel &channel) { return channel.is_settled(); });
  }

  bool outlives_failure() const override { return true; }
  WakeUp wake_up() const override { return network_.has_thread() ? WakeUp::by_doorbell : WakeUp::by_polling; }

  std::int64_t network_writes() const override { return wire_->channels.writes(); }
  std::int64_t memory_bytes() const override { return wire_->memory.bytes() + wire_->channels.memory_bytes(); }

 private:
  std::size_t position(int e) const { return position_[static_cast<std::size_t>(e)]; }
  SlotChannel &channel(int e) { return wire_->channels[position(e)]; }

  Status make_channels(std::unique_ptr<DescriptorsOf<WireDescriptor>> &descriptors) {
    HLC_TRY(wire_->open(plan_, edges_, network_));
    position_.resize(plan_.edges.size());
    waiting_.reserve(edges_.size());
    descriptors = std::make_unique<DescriptorsOf<WireDescriptor>>(plan_, edges_);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const int e = edges_[i];
      position_[static_cast<std::size_t>(e)] = i;
      channel(e).open(network_, {.slots = kWireSlots, .sources = kWireSlots, .most_bytes = edge(e).space_out});
      WireDescriptor &mine = descriptors->mine[static_cast<std::size_t>(e)];
      mine.slots = channel(e).describe(wire_->memory, wire_->places(e, i));
      std::copy(channel(e).immediates().begin(), channel(e).immediates().end(), mine.immediates.begin());
    }
    return Status::ok;
  }

  Status connect_all(const std::vector<WireDescriptor> &theirs) {
    for (const int e : edges_) {
      const WireDescriptor &descriptor = theirs[static_cast<std::size_t>(e)];
      const SlotPeer peer{edge(e).rank, edge(e).host, wire_->memory};
      HLC_TRY(channel(e).connect(peer, descriptor.slots, descriptor.immediates.data()));
    }
    return Status::ok;
  }

  /// Names the rank of the first channel that is not yet as it should be.
  template <class Look>
  Status wait_for(int *rank, Look is_so) {
    if (!wire_) return Status::ok;
    HLC_TRY(wire_->channels.progress());
    for (std::size_t i = 0; i < wire_->channels.size(); ++i) {
      *rank = edge(edges_[i]).rank;
      if (!is_so(wire_->channels[i])) return Status::again;
    }
    return Status::ok;
  }

  Network &network_;
  std::unique_ptr<WireEdges> wire_;
  std::vector<std::size_t> position_;  // edge -> index in edges_
  std::vector<int> waiting_;
};

}  // namespace

std::unique_ptr<Channel> make_wire(Plan &plan, std::vector<int> edges) { return std::make_unique<WireChannel>(plan, std::move(edges)); }

}  // namespace halocline::core
