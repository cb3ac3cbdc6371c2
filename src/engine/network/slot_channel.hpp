// A channel of slots between two ranks of different nodes, in one direction or both. A message is at most as long as a slot, and is written
// over the network straight into the receiver's memory (slot_ends.hpp). Modes notify and notify_node and the reductions use it, each with its
// own memory and its own form (docs/design/033-channel.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "engine/communicator/communicator.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/network/liveness.hpp"
#include "engine/network/network.hpp"
#include "engine/network/slot_ends.hpp"

namespace halocline::core {

/// Registered memory: peers write into `in`, this rank's writes are read from `out`. The two may be the same bytes.
struct SlotMemory {
  NetworkSegment in, out;

  /// Allocates both.
  Status open(Network &network, std::int64_t bytes_in, std::int64_t bytes_out);
  /// Register memory that outlives this object.
  Status cover_in(Network &network, char *base, std::int64_t bytes);
  Status cover_out(Network &network, char *base, std::int64_t bytes);
  std::int64_t bytes() const { return in.bytes() + out.bytes(); }
};

/// Offsets in `in`: a word that writes without data reach, and the slots.
struct SlotPlaces {
  std::int64_t word = 0, slot = 0, slot_distance = 0;
};

/// What the peer needs to write to this end. Plain bytes, to be sent as they are, with the immediate data of the counters behind them.
struct SlotDescriptor {
  RankAddress rank;
  transport::RemoteKey memory;
  SlotPlaces places;
};

/// The peer, and the place of the words and messages that are written to it.
struct SlotPeer {
  int rank = -1;
  std::string host;  // in messages
  const SlotMemory &memory;
  std::int64_t word = 0;  // in memory.out: what writes without data are read from
};

/// One channel, as the rank at one end sees it. Only `open` and `connect` allocate.
class SlotChannel {
 public:
  SlotSender out;
  SlotReceiver in;

  SlotChannel() = default;
  SlotChannel(const SlotChannel &) = delete;
  SlotChannel &operator=(const SlotChannel &) = delete;
  ~SlotChannel() { leave(); }

  /// Makes and registers the counters. Peers may raise them once they have the descriptor.
  void open(Network &network, const SlotForm &form);
  /// The same with counters in the node's memory, which one rank of the node registers for all.
  void open(Network &network, const SlotForm &form, const SlotCounters &counters, bool registers);
  SlotDescriptor describe(const SlotMemory &memory, const SlotPlaces &places) const;
  /// The immediate data of the counters; 0 for those that this rank has not registered.
  const std::vector<std::uint64_t> &immediates() const { return immediates_; }

  /// Resolves the peer and aims all transfers at it; `immediates`: the peer's.
  Status connect(const SlotPeer &peer, const SlotDescriptor &descriptor, const std::uint64_t *immediates);
  /// The peer; -1 before `connect`.
  int rank() const { return rank_; }
  /// The peer in messages.
  std::string name() const { return on_its_host(rank_, host_.c_str()); }

  /// Writes a word to the peer. So the connection works before the first message.
  void greet();
  /// True until the greeting is complete and, with greets_both_ways, the peer's has arrived.
  bool is_silent() const { return !is_done(word_) || (form_.greets_both_ways && !reached(*counters_.word, 1)); }
  bool has_greeting_failed() const { return greets_ && has_failed(word_); }
  /// After the greetings: writes the word of SlotPeer behind the word that greetings reach, and raises the peer's counter `word`.
  void send_notice();
  bool notice_sent() const { return is_over(word_); }

  /// True if all messages of this rank, and what frees its slots, have left this process. A greeting may still be under way.
  bool is_quiet() const {
    const auto is_under_way = [](const Transfer &transfer) { return !is_done(transfer); };
    return !out.any_transfer(is_under_way) && !in.any_transfer(is_under_way);
  }
  /// True if it has also been read, so that nothing for the peer is under way any more.
  bool is_settled() const { return out.is_settled() && is_quiet(); }
  /// True if the network does not access this rank's memory for the peer any more: nothing is under way.
  bool is_ended() const {
    return !any_transfer([](const Transfer &transfer) { return !is_over(transfer); });
  }
  /// True if the provider holds a transfer to the peer. A process that computes or is stopped may keep it from accepting more.
  bool is_held() const;
  /// The reason of a transfer that has failed; null if none has.
  const char *failure() const;

  /// Withdraws what waits for room in the endpoint.
  void withdraw();
  /// Ends the peer's access to the counters, and the connection.
  void leave();
  /// The number of writes that were begun, without those of `greet` and `send_notice`.
  std::int64_t writes() const { return out.writes() + in.writes(); }
  std::int64_t memory_bytes() const;

 private:
  template <class Look>
  bool any_transfer(Look look) const {
    return look(word_) || out.any_transfer(look) || in.any_transfer(look);
  }

  Network *network_ = nullptr;
  SlotForm form_;
  SlotCounters counters_;
  std::vector<Counter> own_counters_;
  std::vector<std::uint64_t> immediates_, peer_immediates_;
  int rank_ = -1;
  std::string host_;
  transport::Address address_;
  bool connected_ = false, greets_ = true;
  Transfer word_;
};

/// The channels of one plan of a rank, and what it does with all of them.
class SlotChannels {
 public:
  /// `advice` ends the message of a peer that cannot be reached at first. A greeting that fails is that (timeout), or a loss (peer_died).
  SlotChannels(Network &network, const char *advice, Status greeting_fails)
      : network_(network), advice_(advice), greeting_fails_(greeting_fails) {}

  void make(std::size_t count) { channels_ = std::vector<SlotChannel>(count); }
  SlotChannel &operator[](std::size_t i) { return channels_[i]; }
  const SlotChannel &operator[](std::size_t i) const { return channels_[i]; }
  std::size_t size() const { return channels_.size(); }

  /// Each channel greets. Local; `await_greetings` follows, so that a peer that cannot be reached is an error of the plan.
  void greet();
  /// Waits for half of HALOCLINE_TIMEOUT at most. Local.
  Status await_greetings(WakeUp wake_up);

  /// Drives progress; returns a channel of which a transfer has failed, null if there is none.
  const SlotChannel *find_failed();
  /// Drives progress, and fails if a transfer has failed.
  Status progress();
  /// Adds this rank to an error of the network, which knows no ranks.
  Status name_me(Status status) const;

  bool is_quiet() const;
  bool is_settled() const;
  bool is_ended() const;
  /// True if the provider holds a transfer to this rank.
  bool holds(int rank) const;
  void withdraw();
  void leave();
  std::int64_t writes() const;
  std::int64_t memory_bytes() const;

 private:
  int my_rank() const { return network_.communicator().rank(); }
  Status unreached(const SlotChannel &channel, const char *reason) const;
  Status failure_of(const SlotChannel &channel) const;

  Network &network_;
  const char *advice_;
  Status greeting_fails_;
  std::vector<SlotChannel> channels_;
  std::uint64_t failures_ = 0;
};

}  // namespace halocline::core
