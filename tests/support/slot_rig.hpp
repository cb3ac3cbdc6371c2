// A rank's channels of slots to all other ranks (engine/network/slot_channel.hpp), on a context of their own, and messages of any length
// through them. Every byte encodes its sender, its receiver, its message and its place.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/context/context.hpp"
#include "engine/network/slot_channel.hpp"
#include "support/mpi_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {

/// Leaked if the network may still read or write its memory.
class SlotRig : public core::LeakedOnFailure {
 public:
  explicit SlotRig(const core::SlotForm &form, core::Status greeting_fails = core::Status::timeout)
      : form_(form), channels_(context_.network(), "advice", greeting_fails) {}

  /// Opens the network and joins the channels, which have not greeted yet. Collective. Unsupported if there is no network.
  core::Status open() {
    HLC_TRY(context_.open(MPI_COMM_WORLD, core::Status::ok));
    HLC_TRY(context_.network().open());
    const auto peers = static_cast<std::size_t>(size() - 1);
    HLC_TRY(memory_.open(context_.network(), peers_bytes(form_.slots), peers_bytes(form_.sources)));
    channels_.make(peers);
    counters_ = std::vector<core::Counter>(peers * form_.immediates());
    flows_.resize(peers);
    for (std::size_t i = 0; i < peers; ++i) open(i);
    return swap_descriptors();
  }
  core::Status greet() {
    channels_.greet();
    HLC_TRY(core::agree(context_, context_.comm(), channels_.await_greetings(core::WakeUp::by_polling)));
    return core::Status::ok;
  }

  core::Context &context() { return context_; }
  core::SlotChannels &channels() { return channels_; }
  core::SlotChannel &channel_to(int other) { return channels_[index_of(other)]; }
  int rank_at(std::size_t i) const { return static_cast<int>(i) + (static_cast<int>(i) >= rank() ? 1 : 0); }
  std::size_t index_of(int other) const { return static_cast<std::size_t>(other > rank() ? other - 1 : other); }

  /// Sends the next message to a rank, if there is room and its source is free.
  bool try_to_send(int other) {
    const std::size_t i = index_of(other);
    core::SlotSender &out = channels_[i].out;
    const std::size_t source = (flows_[i].sent + 1) % form_.sources;
    if (!out.has_room() || !out.has_left(source)) return false;
    const std::uint64_t message = ++flows_[i].sent;
    const std::int64_t bytes = length(rank(), other, message);
    char *at = memory_.out.base() + place(i, form_.sources, source);
    for (std::int64_t k = 0; k < bytes; ++k) at[k] = content(rank(), other, message, k);
    if (form_.says_pieces) {
      flows_[i].further[message % form_.slots] += out.pieces(bytes) - 1;
      std::memcpy(at, &flows_[i].further[message % form_.slots], sizeof(std::uint64_t));
    }
    out.send(source, at, bytes);
    return true;
  }
  /// Reads the next message of a rank, if it is there: checks its bytes and frees the slot.
  bool try_to_read(int other) {
    const std::size_t i = index_of(other);
    core::SlotReceiver &in = channels_[i].in;
    Flow &flow = flows_[i];
    if (!flow.expects) in.expect(length(other, rank(), flow.read + 1));
    flow.expects = true;
    if (!in.has_arrived()) return false;
    const char *at = memory_.in.base() + place(i, form_.slots, in.slot());
    std::uint64_t further = 0;
    std::memcpy(&further, at, sizeof further);
    if (form_.says_pieces && !core::reached(counters_of(i).second[in.slot()], further)) return false;
    flow.read += 1;
    flow.expects = false;
    check(at, other, flow.read);
    in.free();
    return true;
  }
  std::uint64_t sent(int other) const { return flows_[index_of(other)].sent; }
  std::uint64_t read(int other) const { return flows_[index_of(other)].read; }
  std::int64_t wrong() const { return wrong_; }

  /// Repeats a step, which drives no progress, until it returns true. False if the network fails or the time is over.
  template <class Step>
  core::Status repeat(Step step, std::chrono::seconds most = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!step()) {
      HLC_TRY(channels_.progress());
      if (std::chrono::steady_clock::now() > end) return core::fail(core::Status::timeout, "rank %d: the messages take too long", rank());
      sched_yield();
    }
    return core::Status::ok;
  }
  /// All messages have been read, here and at the peers. Collective.
  core::Status settle() {
    const core::Status settled = repeat([this] { return channels_.is_settled(); });
    return core::agree(context_, context_.comm(), settled);
  }

 private:
  struct Flow {
    std::uint64_t sent = 0, read = 0;
    bool expects = false;
    std::array<std::uint64_t, 8> further{};
  };
  static constexpr std::int64_t kWord = 64;

  std::int64_t peer_bytes(std::size_t slots) const { return kWord + static_cast<std::int64_t>(slots) * slot_bytes(); }
  std::int64_t peers_bytes(std::size_t slots) const { return (size() - 1) * peer_bytes(slots); }
  std::int64_t slot_bytes() const { return core::round_up(form_.most_bytes, 64); }
  std::int64_t place(std::size_t i, std::size_t slots, std::size_t slot) const {
    return static_cast<std::int64_t>(i) * peer_bytes(slots) + kWord + static_cast<std::int64_t>(slot) * slot_bytes();
  }

  core::SlotCounters counters_of(std::size_t i) {
    core::Counter *first = counters_.data() + i * form_.immediates();
    return {first, first + form_.slots, first + 2 * form_.slots};
  }
  /// Counters of the rig's own, as ranks of a node have them, where the rig itself looks at some.
  void open(std::size_t i) {
    if (form_.says_pieces)
      channels_[i].open(context_.network(), form_, counters_of(i), true);
    else
      channels_[i].open(context_.network(), form_);
  }

  core::Status swap_descriptors() {
    constexpr std::size_t head = sizeof(core::SlotDescriptor);
    const std::size_t bytes = head + form_.immediates() * sizeof(std::uint64_t), peers = channels_.size();
    std::vector<char> said(peers * bytes), received(peers * bytes);
    std::vector<MPI_Request> requests(2 * peers);
    for (std::size_t i = 0; i < peers; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) * peer_bytes(form_.slots);
      const core::SlotDescriptor mine = channels_[i].describe(memory_, {at, at + kWord, slot_bytes()});
      std::memcpy(&said[i * bytes], &mine, head);
      std::memcpy(&said[i * bytes + head], channels_[i].immediates().data(), bytes - head);
      const int count = static_cast<int>(bytes), other = rank_at(i);
      MPI_Irecv(&received[i * bytes], count, MPI_BYTE, other, 5, context_.comm(), &requests[2 * i]);
      MPI_Isend(&said[i * bytes], count, MPI_BYTE, other, 5, context_.comm(), &requests[2 * i + 1]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < peers; ++i) HLC_TRY(connect(i, &received[i * bytes]));
    return core::Status::ok;
  }
  core::Status connect(std::size_t i, const char *received) {
    core::SlotDescriptor theirs{};
    std::vector<std::uint64_t> immediates(form_.immediates());
    std::memcpy(static_cast<void *>(&theirs), received, sizeof theirs);
    std::memcpy(immediates.data(), received + sizeof theirs, immediates.size() * sizeof(std::uint64_t));
    const std::int64_t word = static_cast<std::int64_t>(i) * peer_bytes(form_.sources);
    return channels_[i].connect({rank_at(i), "peer", memory_, word}, theirs, immediates.data());
  }

  static std::uint64_t mix(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
    return number ^ (number >> 31);
  }
  static std::uint64_t name(int from, int to, std::uint64_t message) {
    return mix(seed() + message * 1000003 + static_cast<std::uint64_t>(from * 1009 + to));
  }
  /// Known to both ends: half of the messages are short.
  std::int64_t length(int from, int to, std::uint64_t message) const {
    const std::uint64_t dice = name(from, to, message);
    const std::int64_t least = 8, most = dice % 2 == 0 ? std::min<std::int64_t>(200, form_.most_bytes) : form_.most_bytes;
    return least + static_cast<std::int64_t>((dice >> 8) % static_cast<std::uint64_t>(most - least + 1));
  }
  static char content(int from, int to, std::uint64_t message, std::int64_t k) {
    return static_cast<char>(name(from, to, message) + static_cast<std::uint64_t>(k) * 7 + static_cast<std::uint64_t>(k >> 8));
  }
  /// Where a message says how many writes it has, that is what its first 8 bytes are for.
  void check(const char *at, int from, std::uint64_t message) {
    const std::int64_t bytes = length(from, rank(), message);
    for (std::int64_t k = form_.says_pieces ? 8 : 0; k < bytes; ++k) wrong_ += at[k] != content(from, rank(), message, k) ? 1 : 0;
  }

  core::SlotForm form_;
  core::Context context_;
  core::SlotMemory memory_;
  std::vector<core::Counter> counters_;
  std::vector<Flow> flows_;
  std::int64_t wrong_ = 0;
  core::SlotChannels channels_;  // destroyed first
};

/// A rig that greets, or none, with the reason, where there is no network. Collective.
inline std::unique_ptr<SlotRig> open_rig(const core::SlotForm &form) {
  auto rig = std::make_unique<SlotRig>(form);
  const core::Status opened = rig->open();
  if (opened == core::Status::unsupported) return nullptr;
  EXPECT_EQ(opened, core::Status::ok) << core::error_message();
  if (opened != core::Status::ok) return nullptr;
  EXPECT_EQ(rig->greet(), core::Status::ok) << core::error_message();
  return rig;
}

/// Messages to and from all other ranks, with random delays; now and then a rank reads nothing for a while. `in_turns`: a rank sends its
/// next message once it has read the last one of the peer. This proves that the peer has read the one before.
inline void exchange_messages(SlotRig &rig, std::uint64_t messages, bool in_turns) {
  Skew skew(11), slowness(12);
  std::uint64_t turn = 0;
  const auto step = [&] {
    bool over = true;
    const bool reads = ++turn / 64 % 4 != static_cast<std::uint64_t>(rank()) % 4;
    for (int other = 0; other < size(); ++other) {
      if (other == rank()) continue;
      if (rig.sent(other) < messages && (!in_turns || rig.sent(other) == rig.read(other)) && rig.try_to_send(other)) skew.delay();
      if (reads && rig.read(other) < messages) rig.try_to_read(other);
      over = over && rig.sent(other) == messages && rig.read(other) == messages;
    }
    return over;
  };
  EXPECT_EQ(rig.repeat(step), core::Status::ok) << core::error_message();
  EXPECT_EQ(rig.settle(), core::Status::ok) << core::error_message();
  EXPECT_EQ(rig.wrong(), 0);
  EXPECT_TRUE(rig.channels().is_quiet());
  rig.channels().leave();
  EXPECT_TRUE(rig.channels().is_ended());
}

/// Each rank sends to the next one, which reads nothing at first: as many messages as there are slots find room, and no more.
inline void send_to_a_rank_that_does_not_read(SlotRig &rig, std::size_t slots) {
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  const auto fill = [&] {
    rig.try_to_send(next);
    return !rig.channel_to(next).out.has_room();
  };
  EXPECT_EQ(rig.repeat(fill), core::Status::ok) << core::error_message();
  EXPECT_EQ(rig.sent(next), slots);
  core::SlotChannels &channels = rig.channels();
  EXPECT_EQ(rig.repeat([&] { return rig.channel_to(next).is_quiet(); }), core::Status::ok);
  EXPECT_EQ(core::agree(rig.context(), rig.context().comm(), channels.progress()), core::Status::ok);
  EXPECT_FALSE(rig.channel_to(next).out.has_room());
  EXPECT_FALSE(rig.channel_to(next).out.is_settled());
  EXPECT_EQ(core::agree(rig.context(), rig.context().comm(), core::Status::ok), core::Status::ok);
  const auto read_all = [&] {
    while (rig.read(before) < slots && rig.try_to_read(before)) {
    }
    return rig.read(before) == slots;
  };
  EXPECT_EQ(rig.repeat(read_all), core::Status::ok) << core::error_message();
  EXPECT_EQ(rig.repeat([&] { return rig.channel_to(next).out.has_room(); }), core::Status::ok) << core::error_message();
  EXPECT_EQ(rig.settle(), core::Status::ok) << core::error_message();
  EXPECT_EQ(rig.wrong(), 0);
}

/// Polls until the first probes of all ranks have arrived. For a rank that was never reached is not found lost.
inline void reach_all(SlotRig &rig) {
  core::Liveness *liveness = rig.context().network().liveness();
  bool arrived = false;
  const auto look = [&] {
    liveness->find_lost();
    bool all = true;
    for (int other = 0; other < size(); ++other) all = all && (other == rank() || liveness->has_reached(other));
    arrived = arrived || all;
    return everyone(arrived);
  };
  EXPECT_EQ(rig.repeat(look), core::Status::ok) << core::error_message();
}

/// The last rank closes its endpoint while the others send to it, and reports nothing. The others detect it: a write fails, with the
/// peer's name in the message, or the network has accepted nothing for a while.
inline void lose_the_last_rank(std::unique_ptr<SlotRig> rig) {
  const int last = size() - 1;
  reach_all(*rig);
  if (rank() == last) {
    rig->channels().leave();
    rig->context().network().close();
  } else {
    core::SlotChannel &channel = rig->channel_to(last);
    core::Liveness *liveness = rig->context().network().liveness();
    bool gone = false;
    const auto step = [&] {
      rig->try_to_send(last);
      gone = liveness->find_lost(core::Liveness::kLost_ns) == last && !channel.is_held();
      return gone;
    };
    const core::Status found = rig->repeat(step, std::chrono::seconds(40));
    EXPECT_TRUE(gone || found == core::Status::peer_died) << core::error_message();
    const bool names =
        std::string(core::error_message()).find("cannot reach rank " + std::to_string(last) + " on host peer") != std::string::npos;
    EXPECT_TRUE(gone || names) << core::error_message();
    EXPECT_TRUE(gone || channel.failure() != nullptr);
    rig->channels().leave();
  }
  EXPECT_TRUE(everyone(true));
  rig->context().give_up();
  core::leak(std::move(rig));
}

/// The forms of the channel's users: notify, a lane of a reduction with more slots, notify_node.
inline core::SlotForm two_slots(std::int64_t most_bytes) { return {.slots = 2, .sources = 2, .most_bytes = most_bytes}; }
inline core::SlotForm many_slots(std::int64_t most_bytes) { return {.slots = 6, .sources = 4, .most_bytes = most_bytes}; }
inline core::SlotForm in_turns(std::int64_t most_bytes) {
  return {.slots = 2, .sources = 2, .most_bytes = most_bytes, .frees = false, .says_pieces = true, .greets_both_ways = false};
}

}  // namespace halocline::test
