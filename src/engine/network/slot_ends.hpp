// The two ends of one direction of a channel of slots: one writes messages into the slots, the other reads them there.
// slot_channel.hpp joins them to a peer. Messages are numbered from 1 and use the slots in turn. The network may deliver in any order. So
// each slot has its own counters, and each write of a message too long for one is counted.
// Source: Simmendinger et al., section 3.1; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/counter.hpp"
#include "engine/network/network_transport.hpp"

namespace halocline::core {

/// True if a transfer is at rest: it may be started again, and its source written.
inline bool is_done(const Transfer &transfer) {
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  return transfer.state.load(std::memory_order_acquire) == Transfer::State::at_rest;
}
/// True if it is at rest or has failed: the provider does not access its source any more.
inline bool is_over(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) != Transfer::State::under_way; }
inline bool has_failed(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) == Transfer::State::failed; }

/// How the slots of a channel are used; the same at both ends, except in which directions it sends. Sources are places of the owner's.
struct SlotForm {
  std::size_t slots = 2;
  bool receives = true;
  std::size_t sources = 0;  // this end sends each message from one of these; 0: it sends none
  std::int64_t most_bytes = 0;  // of a message that it sends
  bool frees = true;  // the receiver announces each slot that it has read; else the messages of the other direction prove it
  bool says_pieces = false;  // a message says how many writes it has, and only its first raises `arrived`; else the receiver knows
  bool greets_both_ways = true;  // a greeting raises the peer's counter, and the peer's greeting is waited for

  /// The number of immediate data: `arrived` per slot, `second` per slot, `word`.
  constexpr std::size_t immediates() const { return 2 * slots + 1; }
};

/// The counters of a channel at one rank, which its peer raises. `second` counts per slot, as the form says: messages that the peer has
/// read, or writes beyond a message's first.
struct SlotCounters {
  Counter *arrived = nullptr, *second = nullptr, *word = nullptr;
};

/// The slots of the peer, as the writes to them name them.
struct SlotTarget {
  std::uint64_t address = 0, distance = 0;  // of slot 0; from a slot to the next
  const std::uint64_t *immediates = nullptr;  // the peer's, of form.immediates() counters
};

/// The number of writes of a message.
inline std::uint64_t pieces_of(const NetworkEndpoint &endpoint, std::int64_t bytes) {
  return static_cast<std::uint64_t>((bytes + endpoint.most_bytes() - 1) / endpoint.most_bytes());
}

/// The end that sends. The owner packs the bytes of each message and keeps them until it has left.
class SlotSender {
 public:
  /// Makes the transfers.
  void open(NetworkEndpoint &endpoint, const SlotForm &form);
  void connect(const SlotTarget &target, const Counter *freed, const Transfer &model);

  /// The slot of the next message.
  std::size_t next_slot() const { return (sent_ + 1) % slots_; }
  /// True if the peer has read what the slot of the next message held.
  bool has_room() const {
    // Messages use S slots in turn: before message m, (m - 1) / S have used its slot.
    // SYNC unpacked-before-rewrite (pairs with SlotReceiver::free)
    return !freed_ || reached(freed_[next_slot()], sent_ / slots_);
  }
  /// Sends the next message.
  void send(std::size_t source, const char *from, std::int64_t bytes) { send(++sent_, source, from, bytes); }
  /// Sends the message of this number, where several ranks of a node send in turn.
  void send(std::uint64_t number, std::size_t source, const char *from, std::int64_t bytes);
  /// The number of writes of a message.
  std::uint64_t pieces(std::int64_t bytes) const { return pieces_of(*endpoint_, bytes); }
  /// True if the last message from a source has left.
  bool has_left(std::size_t source) const { return std::all_of(pieces_[source].begin(), pieces_[source].end(), is_done); }
  /// True if the peer has read every message.
  bool is_settled() const;
  /// The number of writes that were begun.
  std::int64_t writes() const { return writes_; }

  template <class Look>
  bool any_transfer(Look look) const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [&](const std::vector<Transfer> &each) { return std::any_of(each.begin(), each.end(), look); });
  }
  void withdraw();
  std::int64_t memory_bytes() const;

 private:
  NetworkEndpoint *endpoint_ = nullptr;
  std::size_t slots_ = 1;
  bool says_pieces_ = false;
  SlotTarget target_;
  const Counter *freed_ = nullptr;  // per slot; null: nothing is announced
  std::vector<std::vector<Transfer>> pieces_;  // per source
  std::uint64_t sent_ = 0;
  std::int64_t writes_ = 0;
};

/// The end that receives. The owner reads each message where it arrives.
class SlotReceiver {
 public:
  void open(NetworkEndpoint &endpoint, const SlotForm &form, const Counter *arrived);
  /// `word`: a transfer of one word to the peer, as those that announce a slot that has been read.
  void connect(const Transfer &word, const std::uint64_t *freed_immediates);

  /// Counts the next message. Its length does not matter where messages say how many writes they have.
  void expect(std::int64_t bytes) {
    received_ += 1;
    awaited_[slot()] += says_pieces_ ? 1 : pieces_of(*endpoint_, bytes);
  }
  /// The slot of the message that was expected last.
  std::size_t slot() const { return received_ % awaited_.size(); }
  /// True if that message has arrived, or its first write, where it says how many there are. The last announcement of this slot has also
  /// ended, so that it can be started again.
  bool has_arrived() const {
    // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
    return reached(arrived_[slot()], awaited_[slot()]) && (freeing_.empty() || is_done(freeing_[slot()]));
  }
  /// The message has been read: announces that, if the form says so.
  void free() {
    if (freeing_.empty()) return;
    // SYNC unpacked-before-rewrite (pairs with SlotSender::has_room)
    endpoint_->start(freeing_[slot()]);
    writes_ += 1;
  }
  std::int64_t writes() const { return writes_; }

  template <class Look>
  bool any_transfer(Look look) const {
    return std::any_of(freeing_.begin(), freeing_.end(), look);
  }
  void withdraw();
  std::int64_t memory_bytes() const;

 private:
  NetworkEndpoint *endpoint_ = nullptr;
  bool says_pieces_ = false;
  const Counter *arrived_ = nullptr;  // per slot: writes
  std::vector<std::uint64_t> awaited_;  // per slot: the value of its counter once all messages so far are there
  std::vector<Transfer> freeing_;  // per slot; none if nothing is announced
  std::uint64_t received_ = 0;
  std::int64_t writes_ = 0;
};

}  // namespace halocline::core
