// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/sparse_slots.hpp"

#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core {

const SparsePiece &SparseReceiver::piece_in(std::uint32_t slot) const {
  return *reinterpret_cast<const SparsePiece *>(segment_.mine().data() + layout_.at(slot));
}

Status SparseReceiver::drain(const char *call, std::uint64_t round) {
  if (layout_.pairs > 0) HLC_TRY(drain_reserved(round));
  return drain_claimed(call, round);
}

Status SparseReceiver::drain_claimed(const char *call, std::uint64_t round) {
  const RemoteMemory &mine = segment_.mine();
  const std::uint32_t before = taken_;
  while (true) {
    const auto slot = static_cast<int>(taken_ % layout_.slots);
    if (segment_.find(slot, slot + 1) != slot) break;
    const SparsePiece &piece = piece_in(taken_ % layout_.slots);
    if (piece.head.round != round) break;
    const auto spanned = static_cast<std::uint32_t>(piece.head.slots);
    HLC_TRY(deliver(piece));
    mine.words().notifications.take(slot);
    taken_ += spanned;
  }
  return taken_ != before ? publish_taken(call, before) : Status::ok;
}

/// The senders are not notified: their next message of the same exchange is claimed, and that of the next one goes to the other slot.
Status SparseReceiver::drain_reserved(std::uint64_t round) {
  const auto first = static_cast<int>(layout_.reserved(0, round)), end = first + static_cast<int>(layout_.pairs);
  for (int slot = segment_.find(first, end); slot != end; slot = segment_.find(slot, end)) {
    // SYNC read-two-exchanges-later (pairs with ReservedSlots::find): once this rank enters the next exchange these slots are empty.
    HLC_TRY(deliver(piece_in(static_cast<std::uint32_t>(slot))));
    segment_.mine().words().notifications.take(slot);
  }
  return Status::ok;
}

/// Where the lower half wraps around, nothing is carried to the upper one. A sender of this node that has found no free slot may sleep.
Status SparseReceiver::publish_taken(const char *call, std::uint32_t before) const {
  const std::int64_t wrapped = taken_ < before ? std::int64_t{1} << 32 : 0, added = taken_ - before - wrapped;
  std::int64_t tickets = 0;
  // SYNC emptied-before-reuse (pairs with SparseSender::claim, SparseSender::look_at_taken)
  HLC_TRY(fetch_op(call, {segment_.mine(), SparseSlots::kTickets}, SparseSlots::kAdd, {&added, &tickets}));
  if (SparseSlots::claimed(tickets) - before > layout_.slots) segment_.communicator().ring_node();
  return Status::ok;
}

Status SparseReceiver::deliver(const SparsePiece &piece) {
  const int origin = piece.head.origin;
  if (piece.head.bytes() == piece.head.message_bytes) {
    hand_over(origin, piece.data, piece.head.message_bytes);
    ++received_;
    return Status::ok;
  }
  if (piece.head.begin == 0)
    HLC_TRY(alone(segment_.communicator(), [&] {
      long_.resize(static_cast<std::size_t>(piece.head.message_bytes));
      return Status::ok;
    }));
  std::memcpy(long_.data() + piece.head.begin, piece.data, static_cast<std::size_t>(piece.head.bytes()));
  if (piece.head.begin + piece.head.bytes() < piece.head.message_bytes) return Status::ok;
  hand_over(origin, long_.data(), piece.head.message_bytes);
  ++received_;
  std::vector<char>().swap(long_);
  return Status::ok;
}

}  // namespace halocline::core
