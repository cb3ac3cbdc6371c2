// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/sparse_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/rma/await.hpp"

namespace halocline::core {
namespace {

constexpr const char *kStart = "hlc_sparse_start";
constexpr const char *kFinish = "hlc_sparse_finish";
constexpr int kUsualSlots = 64;
constexpr std::int64_t kLongestMessage = HLC_SPARSE_SLOT_BYTES * ((std::int64_t{1} << 31) - 1);

}  // namespace

Status SparseExchange::take(const hlc_sparse_spec *spec, std::string *plan) {
  const char *call = name_of(CallName::sparse_create);
  if (!spec) return fail(Status::argument, "%s on rank %d: spec is NULL", call, segment_.rank());
  if (!spec->receive) return fail(Status::argument, "%s on rank %d: spec.receive is NULL", call, segment_.rank());
  if (spec->slots < 0 || spec->slots > HLC_MAX_SPARSE_SLOTS)
    return fail(Status::argument, "%s on rank %d: spec.slots is %d, it must be 0 to %d", call, segment_.rank(), spec->slots,
                HLC_MAX_SPARSE_SLOTS);
  slots_ = std::bit_ceil(static_cast<std::uint32_t>(spec->slots > 0 ? spec->slots : kUsualSlots));
  receiver_.set(spec->receive, spec->user, slots_);
  if (spec->name) plan->append("'").append(spec->name).append("'");
  return Status::ok;
}

Status SparseExchange::create() {
  const char *call = name_of(CallName::sparse_create);
  Communicator &communicator = segment_.communicator();
  std::int64_t ends[2] = {slots_, -std::int64_t{slots_}};
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, ends, 2));
  if (ends[0] != -ends[1])
    return fail(Status::mismatch, "%s: ranks disagree on slots: from %lld to %lld; rank %d has %u", call, static_cast<long long>(ends[0]),
                static_cast<long long>(-ends[1]), segment_.rank(), slots_);
  return segment_.create(call, {SparseSlots::at(slots_), static_cast<int>(slots_)});
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
    if (message.bytes < 0 || message.bytes > kLongestMessage)
      return fail(Status::argument, "%s on rank %d: messages[%d].bytes is %lld, it must be 0 to %lld", kStart, me, i,
                  static_cast<long long>(message.bytes), static_cast<long long>(kLongestMessage));
    if (!message.data && message.bytes > 0) return fail(Status::argument, "%s on rank %d: messages[%d].data is NULL", kStart, me, i);
  }
  return Status::ok;
}

Status SparseExchange::start(int count, const hlc_sparse_message *messages) {
  HLC_TRY(check(count, messages));
  messages_.clear();
  put_to_.reserve(static_cast<std::size_t>(count));
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
    return fail(verdict.status, "%s: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", kFinish, segment_.rank(),
                most_seconds(segment_), segment_.name_of(awaited()).c_str());
  });
  HLC_TRY(mark_broken(waited));
  outstanding_ = outstanding_ && failed(status);
  return status;
}

/// The rank for which the exchange waits.
int SparseExchange::awaited() const {
  if (stage_ == Stage::pushing) return messages_[pushed_].rank;
  return stage_ == Stage::flushing ? flushed_last_ : barrier_.awaited();
}

/// As far as it goes without waiting for other ranks: ok once the exchange is complete.
Status SparseExchange::go_on() {
  if (stage_ == Stage::complete) return Status::ok;
  segment_.poll();
  HLC_TRY(mark_broken(receiver_.drain(kFinish, round_)));
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
  HLC_TRY(mark_broken(receiver_.drain(kFinish, round_)));
  HLC_TRY(mark_broken(segment_.flush_outgoing(kFinish)));
  stage_ = Stage::complete;
  return Status::ok;
}

/// A message whose target has no free slot does not hold up those to other targets.
Status SparseExchange::push_all() {
  for (std::size_t i = pushed_; i < messages_.size(); ++i) {
    Outgoing &message = messages_[i];
    if (message.next == message.pieces || is_kept(message)) continue;
    HLC_TRY(segment_.with(kStart, message.rank, [&](const RemoteMemory &memory) { return push(memory, message); }));
  }
  ring_targets();
  keep_own();
  while (pushed_ < messages_.size() && messages_[pushed_].next == messages_[pushed_].pieces) ++pushed_;
  return pushed_ == messages_.size() ? Status::ok : Status::again;
}

Status SparseExchange::push(const RemoteMemory &memory, Outgoing &message) {
  if (!message.claimed)
    if (const Status status = claim(memory, message); status != Status::ok) return status;
  for (; message.next < message.pieces; ++message.next) {
    const std::uint32_t ticket = message.first + static_cast<std::uint32_t>(message.next);
    if (ticket - message.taken >= slots_)
      if (const Status status = look_at_taken(memory, message); status != Status::ok) return status;
    if (ticket - message.taken >= slots_) return Status::again;
    HLC_TRY(put(memory, message, ticket));
  }
  return Status::ok;
}

/// A message of this rank to itself needs no slot, if it is aligned as receivers may expect.
bool SparseExchange::is_kept(const Outgoing &message) const {
  const bool aligned = message.data && reinterpret_cast<std::uintptr_t>(message.data) % alignof(std::uint64_t) == 0;
  return message.rank == segment_.rank() && aligned;
}

/// Receives such messages, once the other targets have been woken: what the program does with them may take long.
void SparseExchange::keep_own() {
  for (std::size_t i = pushed_; i < messages_.size(); ++i) {
    Outgoing &message = messages_[i];
    if (message.next == message.pieces || !is_kept(message)) continue;
    message.next = message.pieces;
    receiver_.hand_over(message.rank, message.data, message.bytes);
  }
}

/// Wakes the ranks of this node that have been put to, after one fence for all.
void SparseExchange::ring_targets() {
  if (!put_to_.empty()) segment_.communicator().doorbell().ring_all(put_to_);
  put_to_.clear();
}

Status SparseExchange::claim(const RemoteMemory &memory, Outgoing &message) {
  std::int64_t tickets = 0;
  const std::int64_t claims = message.pieces << 32;
  // SYNC emptied-before-reuse (pairs with SparseReceiver::publish_taken)
  const Status status = fetch_op(kStart, {memory, SparseSlots::kTickets}, SparseSlots::kAdd, {&claims, &tickets}, message.query);
  if (status != Status::ok) return status;
  message.claimed = true;
  message.first = SparseSlots::claimed(tickets);
  message.taken = SparseSlots::taken(tickets);
  return Status::ok;
}

Status SparseExchange::look_at_taken(const RemoteMemory &memory, Outgoing &message) {
  std::int64_t tickets = 0;
  // SYNC emptied-before-reuse (pairs with SparseReceiver::publish_taken)
  const Status status = fetch_op(kStart, {memory, SparseSlots::kTickets}, SparseSlots::kRead, {nullptr, &tickets}, message.query);
  if (status == Status::ok) message.taken = SparseSlots::taken(tickets);
  return status;
}

/// A put of up to 2 KiB copies its source.
Status SparseExchange::put(const RemoteMemory &memory, const Outgoing &message, std::uint32_t ticket) {
  SparsePiece piece;
  piece.round = round_;
  piece.message_bytes = message.bytes;
  piece.begin = message.next * HLC_SPARSE_SLOT_BYTES;
  piece.origin = segment_.rank();
  const std::int64_t bytes = piece.bytes();
  if (bytes > 0) std::memcpy(piece.data, message.data + piece.begin, static_cast<std::size_t>(bytes));
  const std::uint32_t slot = ticket % slots_;
  const Target to{memory, SparseSlots::at(slot)};
  const Source source{&piece, SparseSlots::kBytes - HLC_SPARSE_SLOT_BYTES + bytes};
  const hlc_notification here{static_cast<int>(slot), 1};
  if (!memory.is_near()) return put_notify(kStart, to, source, here);
  HLC_TRY(put_and_set(kStart, to, source, here));
  const bool is_listed = !put_to_.empty() && put_to_.back() == memory.member();
  if (message.rank != segment_.rank() && !is_listed) put_to_.push_back(memory.member());
  return Status::ok;
}

Status SparseExchange::look_at_flush() {
  Status all = Status::ok;
  for (Flush &flush : flushes_) {
    const Status status = segment_.network().requests()->look(flush, kFinish);
    if (failed(status)) return status;
    if (status == Status::ok) continue;
    all = Status::again;
    flushed_last_ = flush.rank;
  }
  return all;
}

}  // namespace halocline::core
