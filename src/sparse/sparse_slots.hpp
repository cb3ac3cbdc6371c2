// What a sparse exchange has in a rank's memory, and the end that empties it. The data of a segment with a notification per slot:
//
//   | tickets 128 B | slots: 2 KiB each |
//
// `tickets` is one word: above tickets that ranks have claimed, below those that the rank has taken. So the fetch_and_add that claims also
// says whether there is room. Both wrap around after 2^32, which is a multiple of the slots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/sparse.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/rma/segment.hpp"

namespace halocline::core {

/// What a slot begins with, and what it holds.
struct SparsePiece {
  std::uint64_t round;
  std::int64_t message_bytes;
  std::int64_t begin;  // of the piece in the message
  std::int64_t origin;
  char data[HLC_SPARSE_SLOT_BYTES];

  std::int64_t bytes() const { return std::min<std::int64_t>(message_bytes - begin, HLC_SPARSE_SLOT_BYTES); }
};

struct SparseSlots {
  static constexpr std::int64_t kTickets = 0, kFirst = 128, kBytes = sizeof(SparsePiece);
  static constexpr hlc_action kAdd{HLC_OP_SUM, HLC_NUMBER_INT64}, kRead{HLC_OP_READ, HLC_NUMBER_INT64};

  /// The halves of a word of tickets.
  static std::uint32_t claimed(std::int64_t tickets) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(tickets) >> 32); }
  static std::uint32_t taken(std::int64_t tickets) { return static_cast<std::uint32_t>(tickets); }
  /// Where a slot begins in the data.
  static std::int64_t at(std::uint32_t slot) { return kFirst + slot * kBytes; }
};
static_assert(sizeof(SparsePiece) == 2048);

/// Takes this rank's slots in the order of tickets, and hands messages to the program.
class SparseReceiver {
 public:
  explicit SparseReceiver(const Segment &segment) : segment_(segment) {}

  /// `slots` is a power of two.
  void set(hlc_sparse_receive_fn receive, void *user, std::uint32_t slots);
  /// Takes pieces until a slot is empty, or has a piece of a later exchange than `round`. `call` is the caller's name in messages.
  Status drain(const char *call, std::uint64_t round);
  /// Hands a message to the program.
  void hand_over(int origin, const void *data, std::int64_t bytes) const { receive_(origin, data, bytes, user_); }

 private:
  Status publish_taken(const char *call, std::uint32_t before) const;
  Status deliver(const SparsePiece &piece);

  const Segment &segment_;
  hlc_sparse_receive_fn receive_ = nullptr;
  void *user_ = nullptr;
  std::uint32_t slots_ = 0;
  std::uint32_t taken_ = 0;  // tickets so far
  std::vector<char> long_;  // the pieces so far of a message that is longer than a slot
};

}  // namespace halocline::core
