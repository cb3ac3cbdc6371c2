// What a sparse exchange has in a rank's memory, and the end that empties it. The data of a segment with a notification per slot and list:
//
//   | tickets, reservations: 128 B | slots: 2 KiB each | reserved slots: two of 8 KiB per sender | lists: two per round |
//
// `tickets` is one word: above tickets that ranks have claimed, below those that the rank has taken. So the fetch_and_add that claims also
// says whether there is room. Both wrap around after 2^32, which is a multiple of the slots. What follows the slots is there on several nodes
// only. `reservations` counts the ranks of other nodes that have asked for slots of their own (reserved_slots.hpp). The lists are those of
// counted_barrier.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/sparse.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/rma/segment.hpp"

namespace halocline::core {

/// What a slot begins with, and what it holds.
struct SparseHead {
  std::uint64_t round;
  std::int64_t message_bytes;
  std::int64_t begin;  // of the piece in the message
  std::int32_t origin;
  std::int32_t slots;  // a piece may span several slots, one behind the other, and is notified in the first one

  static constexpr std::int64_t slots_of(std::int64_t bytes) {
    return std::max<std::int64_t>(1, (bytes + HLC_SPARSE_SLOT_BYTES - 1) / HLC_SPARSE_SLOT_BYTES);
  }
  std::int64_t bytes() const { return std::min<std::int64_t>(message_bytes - begin, slots * std::int64_t{HLC_SPARSE_SLOT_BYTES}); }
};
struct SparsePiece {
  static constexpr std::int64_t kBytesBefore = sizeof(SparseHead);  // the data

  SparseHead head;
  char data[HLC_SPARSE_SLOT_BYTES];
};

/// Writes a piece of a message; returns its end.
inline char *write_piece_to(char *to, const SparseHead &head, const char *message) {
  std::memcpy(to, &head, sizeof head);
  if (head.bytes() > 0) std::memcpy(to + sizeof head, message + head.begin, static_cast<std::size_t>(head.bytes()));
  return to + sizeof head + head.bytes();
}

struct SparseSlots {
  static constexpr std::int64_t kTickets = 0, kReservations = 64, kFirst = 128, kBytes = sizeof(SparsePiece);
  static constexpr hlc_action kAdd{HLC_OP_SUM, HLC_NUMBER_INT64}, kRead{HLC_OP_READ, HLC_NUMBER_INT64};

  /// The halves of a word of tickets.
  static std::uint32_t claimed(std::int64_t tickets) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(tickets) >> 32); }
  static std::uint32_t taken(std::int64_t tickets) { return static_cast<std::uint32_t>(tickets); }
  /// Where a slot begins in the data.
  static std::int64_t at(std::uint32_t slot) { return kFirst + slot * kBytes; }
};
static_assert(sizeof(SparsePiece) == 2048 && offsetof(SparsePiece, data) == SparsePiece::kBytesBefore);

/// Where all is in a rank's memory, the same on all ranks.
struct SparseLayout {
  static constexpr std::uint32_t kMaxPairs = 1024;
  /// A list: its head, counts, and one message, a short one beyond round 0. Then all of it is as long as a slot at most.
  static constexpr std::int64_t kHeadBytes = 16, kCountBytes = 8, kMaxCounts = 184, kCarriedBytes = 512;
  /// What a reserved slot holds, and its size.
  static constexpr std::int64_t kReservedBytes = 8192, kReservedSize = kReservedBytes + 64;
  static constexpr std::int64_t kFirstListSize = kReservedSize + 1536;
  /// Slots of a piece at most: what the network copies at once.
  static constexpr std::int64_t kMaxSpan = 8;

  std::uint32_t slots = 0;  // that are claimed: a power of two
  std::uint32_t pairs = 0;  // of reserved slots
  int rounds = 0;  // of the counted barrier

  /// On one node slots alone.
  static SparseLayout of(std::uint32_t slots, int rounds) { return {slots, rounds > 0 ? std::min(slots / 2, kMaxPairs) : 0, rounds}; }
  /// The slot of a pair for an exchange. The two are used in turn. Slots are numbered, and so are their notifications: first those that are
  /// claimed, then those reserved for exchanges of even number, then the others.
  std::uint32_t reserved(std::uint32_t pair, std::uint64_t round) const { return slots + (round % 2 == 0 ? 0 : pairs) + pair; }
  std::uint32_t all_slots() const { return slots + 2 * pairs; }
  /// Where a slot begins in the data.
  std::int64_t at(std::uint32_t slot) const {
    return SparseSlots::at(std::min(slot, slots)) + (slot > slots ? slot - slots : 0) * kReservedSize;
  }

  /// The list of a round of the counted barrier, for an exchange: two per round in turn.
  static int list_of(int round, std::uint64_t number) { return 2 * round + static_cast<int>(number % 2); }
  int list_id(int list) const { return static_cast<int>(all_slots()) + list; }
  /// The more slots a rank has, the more messages it expects.
  std::int64_t most_counts() const { return std::min<std::int64_t>(std::int64_t{4} * slots - 2, kMaxCounts); }
  std::int64_t list_at(int list) const {
    return at(all_slots()) + std::min(list, 2) * kFirstListSize + std::max(list - 2, 0) * SparseSlots::kBytes;
  }
  /// Bytes of a message that goes with the notification of a round. Later rounds would keep a longer one waiting.
  static std::int64_t most_carried(int round) { return round == 0 ? kReservedBytes : kCarriedBytes; }

  std::int64_t bytes() const { return list_at(2 * rounds); }
  int notifications() const { return list_id(2 * rounds); }
};

static_assert(SparseLayout::kReservedSize % 64 == 0 &&
              SparsePiece::kBytesBefore + SparseLayout::kReservedBytes <= SparseLayout::kReservedSize);
static_assert(SparseLayout::kHeadBytes + SparseLayout::kMaxCounts * SparseLayout::kCountBytes + SparsePiece::kBytesBefore +
                  SparseLayout::kReservedBytes <=
              SparseLayout::kFirstListSize);
static_assert(SparseLayout::kHeadBytes + SparseLayout::kMaxCounts * SparseLayout::kCountBytes + SparseLayout::kCarriedBytes +
                  SparsePiece::kBytesBefore <=
              SparseSlots::kBytes);

/// Takes this rank's slots in the order of tickets, and hands messages to the program.
class SparseReceiver {
 public:
  explicit SparseReceiver(const Segment &segment) : segment_(segment) {}

  void set(hlc_sparse_receive_fn receive, void *user) {
    receive_ = receive;
    user_ = user;
  }
  void set(const SparseLayout &layout) { layout_ = layout; }
  /// Takes what has arrived for exchange `round`, from reserved slots, and from others in the order of tickets. Of these it ends at one that is
  /// empty, or has a piece of a later exchange. `call` is the caller's name in messages.
  Status drain(const char *call, std::uint64_t round);
  /// The messages that have been taken from slots so far, of all exchanges.
  std::int64_t received() const { return received_; }
  /// Takes one that was carried by a notification.
  Status take(const SparsePiece &piece) { return deliver(piece); }
  /// Hands a message to the program.
  void hand_over(int origin, const void *data, std::int64_t bytes) const { receive_(origin, data, bytes, user_); }

 private:
  const SparsePiece &piece_in(std::uint32_t slot) const;
  Status drain_claimed(const char *call, std::uint64_t round);
  Status drain_reserved(std::uint64_t round);
  Status publish_taken(const char *call, std::uint32_t before) const;
  Status deliver(const SparsePiece &piece);

  const Segment &segment_;
  hlc_sparse_receive_fn receive_ = nullptr;
  void *user_ = nullptr;
  SparseLayout layout_;
  std::uint32_t taken_ = 0;  // tickets so far
  std::int64_t received_ = 0;
  std::vector<char> long_;  // the pieces so far of a message that is longer than a slot
};

}  // namespace halocline::core
