// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/sparse_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/rma/await.hpp"

namespace halocline::core {
namespace {

constexpr const char *kStart = "hlc_sparse_start";
constexpr const char *kFinish = "hlc_sparse_finish";
constexpr int kUsualSlots = 64;
constexpr std::int64_t kClaimed = 0, kTaken = 128, kFirstSlot = 256, kSlotBytes = 2048;
constexpr hlc_action kAdd{HLC_OP_SUM, HLC_NUMBER_INT64}, kRead{HLC_OP_READ, HLC_NUMBER_INT64};

}  // namespace

struct SparseExchange::Piece {
  std::uint64_t round;
  std::int64_t message_bytes;
  std::int64_t begin;  // of the piece in the message
  std::int64_t origin;
  char data[HLC_SPARSE_SLOT_BYTES];

  std::int64_t bytes() const { return std::min<std::int64_t>(message_bytes - begin, HLC_SPARSE_SLOT_BYTES); }
};

Status SparseExchange::take(const hlc_sparse_spec *spec, std::string *plan) {
  static_assert(sizeof(Piece) == kSlotBytes, "a slot is one piece");
  const char *call = name_of(CallName::sparse_create);
  if (!spec) return fail(Status::argument, "%s on rank %d: spec is NULL", call, segment_.rank());
  if (!spec->receive) return fail(Status::argument, "%s on rank %d: spec.receive is NULL", call, segment_.rank());
  if (spec->slots < 0 || spec->slots > HLC_MAX_SPARSE_SLOTS)
    return fail(Status::argument, "%s on rank %d: spec.slots is %d, it must be 0 to %d", call, segment_.rank(), spec->slots,
                HLC_MAX_SPARSE_SLOTS);
  slots_ = spec->slots > 0 ? spec->slots : kUsualSlots;
  receive_ = spec->receive;
  user_ = spec->user;
  if (spec->name) plan->append("'").append(spec->name).append("'");
  return Status::ok;
}

Status SparseExchange::create() {
  const char *call = name_of(CallName::sparse_create);
  Communicator &communicator = segment_.communicator();
  std::int64_t ends[2] = {slots_, -slots_};
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, ends, 2));
  if (ends[0] != -ends[1])
    return fail(Status::mismatch, "%s: ranks disagree on slots: from %lld to %lld; rank %d has %d", call, static_cast<long long>(ends[0]),
                static_cast<long long>(-ends[1]), segment_.rank(), slots_);
  return segment_.create(call, {kFirstSlot + slots_ * kSlotBytes, slots_});
}

Status SparseExchange::mark_broken(Status status) {
  if (failed(status)) broken_ = true;
  return status;
}

void SparseExchange::forget_queries() {
  for (Outgoing &message : messages_)
    if (message.query.request) segment_.network().requests()->queries().forget(message.query);
}

Status SparseExchange::check(int count, const hlc_sparse_message *messages) const {
  const int me = segment_.rank(), ranks = segment_.communicator().size();
  if (broken_) return fail(Status::state, "%s on rank %d: an earlier exchange has failed", kStart, me);
  if (outstanding_) return fail(Status::state, "%s on rank %d: the exchange has been started already", kStart, me);
  if (count < 0) return fail(Status::argument, "%s on rank %d: count is %d", kStart, me, count);
  if (!messages && count > 0) return fail(Status::argument, "%s on rank %d: messages is NULL", kStart, me);
  for (int i = 0; i < count; ++i) {
    const hlc_sparse_message &message = messages[i];
    if (message.rank < 0 || message.rank >= ranks)
      return fail(Status::argument, "%s on rank %d: messages[%d].rank is %d, it must be 0 to %d", kStart, me, i, message.rank, ranks - 1);
    if (message.bytes < 0)
      return fail(Status::argument, "%s on rank %d: messages[%d].bytes is %lld", kStart, me, i, static_cast<long long>(message.bytes));
    if (!message.data && message.bytes > 0) return fail(Status::argument, "%s on rank %d: messages[%d].data is NULL", kStart, me, i);
  }
  return Status::ok;
}

Status SparseExchange::start(int count, const hlc_sparse_message *messages) {
  HLC_TRY(check(count, messages));
  messages_.clear();
  for (const hlc_sparse_message *one = messages; one != messages + count; ++one) {
    const std::int64_t pieces = std::max<std::int64_t>(1, (one->bytes + HLC_SPARSE_SLOT_BYTES - 1) / HLC_SPARSE_SLOT_BYTES);
    messages_.push_back({one->rank, static_cast<const char *>(one->data), one->bytes, pieces});
  }
  ++round_;
  pushed_ = 0;
  stage_ = Stage::pushing;
  outstanding_ = true;
  const Status begun = go_on();
  return begun == Status::again ? Status::ok : begun;
}

Status SparseExchange::test(const char *call) {
  if (!outstanding_) return fail(Status::state, "%s on rank %d: no exchange has been started", call, segment_.rank());
  if (broken_) return fail(Status::state, "%s on rank %d: the exchange has failed", call, segment_.rank());
  return go_on();
}

Status SparseExchange::finish() {
  Status status = test(kFinish);
  if (failed(status)) return status;
  const auto there = [&] { return status != Status::again || (status = go_on()) != Status::again; };
  const Status waited = await(segment_, CallName::sparse_finish, there, [&](const WaitStatus &verdict) {
    if (verdict.dead_rank >= 0)
      return fail(verdict.status, "%s: rank %d has not finished, and the process of rank %d has ended", kFinish, segment_.rank(),
                  verdict.dead_rank);
    return fail(verdict.status, "%s: rank %d has waited %lld s (HALOCLINE_TIMEOUT)", kFinish, segment_.rank(), most_seconds(segment_));
  });
  HLC_TRY(mark_broken(waited));
  outstanding_ = outstanding_ && failed(status);
  return status;
}

/// As far as it goes without waiting for other ranks: ok once the exchange is complete.
Status SparseExchange::go_on() {
  if (stage_ == Stage::complete) return Status::ok;
  segment_.poll();
  HLC_TRY(mark_broken(drain()));
  if (stage_ == Stage::pushing) {
    if (const Status status = mark_broken(push_all()); status != Status::ok) return status;
    if (segment_.communicator().nodes() > 1) flushes_ = segment_.network().requests()->begin_flushes(true);
    stage_ = Stage::flushing;
  }
  if (stage_ == Stage::flushing) {
    if (const Status status = mark_broken(look_at_flush()); status != Status::ok) return status;
    barrier_.enter();
    stage_ = Stage::in_barrier;
  }
  if (const Status status = mark_broken(barrier_.look(kFinish)); status != Status::ok) return status;
  // All pieces of this exchange are there.
  HLC_TRY(mark_broken(drain()));
  HLC_TRY(mark_broken(segment_.flush_outgoing(kFinish)));
  stage_ = Stage::complete;
  return Status::ok;
}

/// A message whose target has no free slot does not hold up those to other targets.
Status SparseExchange::push_all() {
  for (std::size_t i = pushed_; i < messages_.size(); ++i) {
    Outgoing &message = messages_[i];
    if (message.next == message.pieces) continue;
    HLC_TRY(segment_.with(kStart, message.rank, [&](const RemoteMemory &memory) { return push(memory, message); }));
  }
  while (pushed_ < messages_.size() && messages_[pushed_].next == messages_[pushed_].pieces) ++pushed_;
  return pushed_ == messages_.size() ? Status::ok : Status::again;
}

Status SparseExchange::push(const RemoteMemory &memory, Outgoing &message) {
  if (message.first < 0)
    if (const Status status = claim(memory, message); status != Status::ok) return status;
  for (; message.next < message.pieces; ++message.next) {
    const std::int64_t needed = message.first + message.next + 1 - slots_;
    if (message.taken < needed)
      if (const Status status = look_at_taken(memory, message); status != Status::ok) return status;
    if (message.taken < needed) return Status::again;
    HLC_TRY(put(memory, message));
  }
  return Status::ok;
}

Status SparseExchange::claim(const RemoteMemory &memory, Outgoing &message) {
  std::int64_t first = 0;
  const Status status = fetch_op(kStart, {memory, kClaimed}, kAdd, {&message.pieces, &first}, message.query);
  if (status == Status::ok) message.first = first;
  return status;
}

Status SparseExchange::look_at_taken(const RemoteMemory &memory, Outgoing &message) {
  return fetch_op(kStart, {memory, kTaken}, kRead, {nullptr, &message.taken}, message.query);
}

/// A put of up to 2 KiB copies its source.
Status SparseExchange::put(const RemoteMemory &memory, const Outgoing &message) {
  Piece piece;
  piece.round = round_;
  piece.message_bytes = message.bytes;
  piece.begin = message.next * HLC_SPARSE_SLOT_BYTES;
  piece.origin = segment_.rank();
  const std::int64_t bytes = piece.bytes();
  if (bytes > 0) std::memcpy(piece.data, message.data + piece.begin, static_cast<std::size_t>(bytes));
  const std::int64_t slot = (message.first + message.next) % slots_;
  const Target to{memory, kFirstSlot + slot * kSlotBytes};
  return put_notify(kStart, to, {&piece, kSlotBytes - HLC_SPARSE_SLOT_BYTES + bytes}, {static_cast<int>(slot), 1});
}

Status SparseExchange::look_at_flush() {
  Status all = Status::ok;
  for (Flush &flush : flushes_) {
    const Status status = segment_.network().requests()->look(flush, kFinish);
    if (failed(status)) return status;
    if (status == Status::again) all = Status::again;
  }
  if (all == Status::ok) flushes_.clear();
  return all;
}

/// Takes pieces until a slot is empty, or has a piece of the next exchange.
Status SparseExchange::drain() {
  const RemoteMemory &mine = segment_.mine();
  const std::int64_t before = taken_;
  while (true) {
    const auto slot = static_cast<int>(taken_ % slots_);
    if (segment_.find(slot, slot + 1) != slot) break;
    const Piece &piece = *reinterpret_cast<const Piece *>(mine.data() + kFirstSlot + slot * kSlotBytes);
    if (piece.round != round_) break;
    HLC_TRY(deliver(piece));
    mine.words().notifications.take(slot);
    const std::int64_t one = 1;
    ++taken_;
    HLC_TRY(fetch_op(kFinish, {mine, kTaken}, kAdd, {&one, nullptr}));
  }
  return taken_ > before ? wake_senders(before) : Status::ok;
}

/// A sender of this node that has found no free slot may sleep.
Status SparseExchange::wake_senders(std::int64_t taken_before) {
  std::int64_t claimed = 0;
  HLC_TRY(fetch_op(kFinish, {segment_.mine(), kClaimed}, kRead, {nullptr, &claimed}));
  if (claimed > taken_before + slots_) segment_.communicator().ring_node();
  return Status::ok;
}

Status SparseExchange::deliver(const Piece &piece) {
  const auto origin = static_cast<int>(piece.origin);
  if (piece.message_bytes <= HLC_SPARSE_SLOT_BYTES) {
    receive_(origin, piece.data, piece.message_bytes, user_);
    return Status::ok;
  }
  if (piece.begin == 0)
    HLC_TRY(alone(segment_.communicator(), [&] {
      long_.resize(static_cast<std::size_t>(piece.message_bytes));
      return Status::ok;
    }));
  std::memcpy(long_.data() + piece.begin, piece.data, static_cast<std::size_t>(piece.bytes()));
  if (piece.begin + piece.bytes() < piece.message_bytes) return Status::ok;
  receive_(origin, long_.data(), piece.message_bytes, user_);
  std::vector<char>().swap(long_);
  return Status::ok;
}

}  // namespace halocline::core
