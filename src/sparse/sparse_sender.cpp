// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/sparse_sender.hpp"

#include <algorithm>

#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core {

static_assert(SparsePiece::kBytesBefore + SparseLayout::kMaxSpan * HLC_SPARSE_SLOT_BYTES <= Request::kRoom, "a put copies its source");

SparseSender::~SparseSender() {
  if (!segment_.network().requests()) return;
  RequestQueries &queries = segment_.network().requests()->queries();
  for (Outgoing &message : messages_)
    if (message.query.request) queries.forget(message.query);
  reserved_.forget(queries);
}

void SparseSender::set(const SparseLayout &layout) {
  layout_ = layout;
  outgoing_.resize(static_cast<std::size_t>(SparsePiece::kBytesBefore + SparseLayout::kMaxSpan * HLC_SPARSE_SLOT_BYTES));
  reserved_.set(layout);
}

void SparseSender::begin(int count, const hlc_sparse_message *messages, std::uint64_t round) {
  messages_.clear();
  put_to_.reserve(static_cast<std::size_t>(count));
  for (const hlc_sparse_message *one = messages; one != messages + count; ++one) {
    messages_.push_back({one->rank, static_cast<const char *>(one->data), one->bytes, SparseHead::slots_of(one->bytes)});
  }
  round_ = round;
  pushed_ = 0;
}

bool SparseSender::all_have_places() const {
  return std::all_of(messages_.begin() + static_cast<std::ptrdiff_t>(pushed_), messages_.end(),
                     [](const Outgoing &message) { return message.claimed || message.next == message.pieces; });
}

void SparseSender::count_targets() {
  for (const Outgoing &message : messages_)
    if (!is_kept(message)) counted_.count(message.rank);
}

/// A message whose target has no free slot does not hold up those to other targets.
Status SparseSender::push(const char *call) {
  call_ = call;
  for (std::size_t i = pushed_; i < messages_.size(); ++i) {
    Outgoing &message = messages_[i];
    if (message.next == message.pieces || is_kept(message)) continue;
    HLC_TRY(segment_.with(call_, message.rank, [&](const RemoteMemory &memory) { return push_one(memory, message); }));
  }
  ring_targets();
  keep_own();
  while (pushed_ < messages_.size() && messages_[pushed_].next == messages_[pushed_].pieces) ++pushed_;
  return pushed_ == messages_.size() ? Status::ok : Status::again;
}

Status SparseSender::push_one(const RemoteMemory &memory, Outgoing &message) {
  if (!message.claimed && !memory.is_near() && message.bytes <= SparseLayout::kReservedBytes)
    if (const Status status = put_unclaimed(memory, message); status != Status::ok) return status;
  if (!message.claimed)
    if (const Status status = claim(memory, message); status != Status::ok) return status;
  while (message.next < message.pieces) {
    const std::uint32_t ticket = message.first + static_cast<std::uint32_t>(message.next);
    if (ticket - message.taken >= layout_.slots)
      if (const Status status = look_at_taken(memory, message); status != Status::ok) return status;
    if (ticket - message.taken >= layout_.slots) return Status::again;
    const std::int64_t slots = span_of(memory, message, ticket);
    HLC_TRY(put(memory, message, ticket % layout_.slots, slots));
    message.next += slots;
  }
  return Status::ok;
}

/// For how many pieces from the next one on there are free slots in a row: the row ends where slot 0 follows. On a node a piece is a slot.
std::int64_t SparseSender::span_of(const RemoteMemory &memory, const Outgoing &message, std::uint32_t ticket) const {
  if (memory.is_near()) return 1;
  const std::int64_t free = layout_.slots - (ticket - message.taken), row = layout_.slots - ticket % layout_.slots;
  return std::min({message.pieces - message.next, free, row, SparseLayout::kMaxSpan});
}

/// Lets the barrier carry a short message, or puts it whole into the slot that is reserved for it, where that is possible.
Status SparseSender::put_unclaimed(const RemoteMemory &memory, Outgoing &message) {
  if (!counted_.carry({message.rank, message.data, message.bytes})) {
    std::uint32_t slot = ReservedSlots::kNone;
    if (const Status status = reserved_.find(call_, memory, round_, &slot); status != Status::ok) return status;
    if (slot == ReservedSlots::kNone) return Status::ok;
    HLC_TRY(put(memory, message, slot, message.pieces));
  }
  message.claimed = true;
  message.next = message.pieces;
  return Status::ok;
}

/// A message of this rank to itself needs no slot, if it is aligned as receivers may expect.
bool SparseSender::is_kept(const Outgoing &message) const {
  const bool aligned = message.data && reinterpret_cast<std::uintptr_t>(message.data) % alignof(std::uint64_t) == 0;
  return message.rank == segment_.rank() && aligned;
}

/// Receives such messages, once the other targets have been woken: what the program does with them may take long.
void SparseSender::keep_own() {
  for (std::size_t i = pushed_; i < messages_.size(); ++i) {
    Outgoing &message = messages_[i];
    if (message.next == message.pieces || !is_kept(message)) continue;
    message.next = message.pieces;
    receiver_.hand_over(message.rank, message.data, message.bytes);
  }
}

/// Wakes the ranks of this node that have been put to, after one fence for all.
void SparseSender::ring_targets() {
  if (!put_to_.empty()) segment_.communicator().doorbell().ring_all(put_to_);
  put_to_.clear();
}

Status SparseSender::claim(const RemoteMemory &memory, Outgoing &message) {
  std::int64_t tickets = 0;
  const std::int64_t claims = message.pieces << 32;
  // SYNC emptied-before-reuse (pairs with SparseReceiver::publish_taken)
  const Status status = fetch_op(call_, {memory, SparseSlots::kTickets}, SparseSlots::kAdd, {&claims, &tickets}, message.query);
  if (status != Status::ok) return status;
  message.claimed = true;
  message.first = SparseSlots::claimed(tickets);
  message.taken = SparseSlots::taken(tickets);
  return Status::ok;
}

Status SparseSender::look_at_taken(const RemoteMemory &memory, Outgoing &message) {
  std::int64_t tickets = 0;
  // SYNC emptied-before-reuse (pairs with SparseReceiver::publish_taken)
  const Status status = fetch_op(call_, {memory, SparseSlots::kTickets}, SparseSlots::kRead, {nullptr, &tickets}, message.query);
  if (status == Status::ok) message.taken = SparseSlots::taken(tickets);
  return status;
}

/// The put copies its source.
Status SparseSender::put(const RemoteMemory &memory, const Outgoing &message, std::uint32_t slot, std::int64_t slots) {
  const SparseHead head{round_, message.bytes, message.next * HLC_SPARSE_SLOT_BYTES, segment_.rank(), static_cast<int>(slots)};
  const char *end = write_piece_to(outgoing_.data(), head, message.data);
  const Target to{memory, layout_.at(slot)};
  const Source source{outgoing_.data(), end - outgoing_.data(), true};
  const hlc_notification here{static_cast<int>(slot), 1};
  if (!memory.is_near()) return put_notify(call_, to, source, here);
  HLC_TRY(put_and_set(call_, to, source, here));
  const bool is_listed = !put_to_.empty() && put_to_.back() == memory.member();
  if (message.rank != segment_.rank() && !is_listed) put_to_.push_back(memory.member());
  return Status::ok;
}

}  // namespace halocline::core
