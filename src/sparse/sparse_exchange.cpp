// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/sparse_exchange.hpp"

#include <algorithm>
#include <bit>

#include "base/clock.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/rma/await.hpp"

namespace halocline::core {
namespace {

constexpr const char *kStart = "hlc_sparse_start";
constexpr const char *kFinish = "hlc_sparse_finish";
constexpr int kUsualSlots = 64;
constexpr std::int64_t kLookEvery_ns = 10'000'000;
constexpr std::int64_t kLongestMessage = HLC_SPARSE_SLOT_BYTES * ((std::int64_t{1} << 31) - 1);

}  // namespace

Status SparseExchange::take(const hlc_sparse_spec *spec, std::string *plan) {
  const char *call = name_of(CallName::sparse_create);
  if (!spec) return fail(Status::argument, "%s on rank %d: spec is NULL", call, segment_.rank());
  if (!spec->receive) return fail(Status::argument, "%s on rank %d: spec.receive is NULL", call, segment_.rank());
  if (spec->slots < 0 || spec->slots > HLC_MAX_SPARSE_SLOTS)
    return fail(Status::argument, "%s on rank %d: spec.slots is %d but must be 0 to %d", call, segment_.rank(), spec->slots,
                HLC_MAX_SPARSE_SLOTS);
  slots_ = std::bit_ceil(static_cast<std::uint32_t>(spec->slots > 0 ? spec->slots : kUsualSlots));
  receiver_.set(spec->receive, spec->user);
  if (spec->name) plan->append("'").append(name_ = spec->name).append("'");
  return Status::ok;
}

Status SparseExchange::create() {
  const char *call = name_of(CallName::sparse_create);
  Communicator &communicator = segment_.communicator();
  std::int64_t ends[2] = {slots_, -std::int64_t{slots_}};
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, ends, 2));
  if (ends[0] != -ends[1])
    return fail(Status::mismatch, "%s: ranks disagree on slots: from %lld to %lld; rank %d has %u",
                PlanCall(communicator, name_.c_str()).text, static_cast<long long>(ends[0]), static_cast<long long>(-ends[1]),
                segment_.rank(), slots_);
  NodeRounds order;
  if (communicator.nodes() > 1) HLC_TRY(find_rounds(&order));
  const SparseLayout layout = SparseLayout::of(slots_, order.rounds());
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    receiver_.set(layout);
    sender_.set(layout);
    counted_.set(order, layout);
    return Status::ok;
  }));
  return segment_.create(call, {layout.bytes(), layout.notifications()});
}

/// Rounds between nodes and within them, if all nodes have the same number of ranks, one node after the other. Collective.
Status SparseExchange::find_rounds(NodeRounds *order) {
  Communicator &all = segment_.communicator();
  const bool is_mine = all.members() * all.nodes() == all.size() && all.rank() == all.node() * all.members() + all.member();
  std::int64_t is_usual = is_mine ? 1 : 0;
  HLC_TRY(reduce(all, all.comm(), MPI_MIN, &is_usual, 1));
  *order = is_usual == 1 ? NodeRounds(all.rank(), all.nodes(), all.members()) : NodeRounds(all.rank(), all.size(), 1);
  return Status::ok;
}

Status SparseExchange::mark_broken(Status status) {
  if (failed(status)) broken_ = true;
  return status;
}

Status SparseExchange::check(int count, const hlc_sparse_message *messages) const {
  const int me = segment_.rank(), ranks = segment_.communicator().size();
  if (broken_) return fail(Status::state, "%s on rank %d: an earlier exchange has failed", kStart, me);
  if (outstanding_) return fail(Status::state, "%s on rank %d: the exchange has been started already", kStart, me);
  if (count < 0) return fail(Status::argument, "%s on rank %d: invalid count %d", kStart, me, count);
  if (!messages && count > 0) return fail(Status::argument, "%s on rank %d: messages is NULL", kStart, me);
  for (int i = 0; i < count; ++i) {
    const hlc_sparse_message &message = messages[i];
    if (message.rank < 0 || message.rank >= ranks)
      return fail(Status::argument, "%s on rank %d: messages[%d].rank is %d but must be 0 to %d", kStart, me, i, message.rank, ranks - 1);
    if (message.bytes < 0 || message.bytes > kLongestMessage)
      return fail(Status::argument, "%s on rank %d: messages[%d].bytes is %lld but must be 0 to %lld", kStart, me, i,
                  static_cast<long long>(message.bytes), static_cast<long long>(kLongestMessage));
    if (!message.data && message.bytes > 0) return fail(Status::argument, "%s on rank %d: messages[%d].data is NULL", kStart, me, i);
  }
  return Status::ok;
}

Status SparseExchange::start(int count, const hlc_sparse_message *messages) {
  HLC_TRY(check(count, messages));
  sender_.begin(count, messages, round_ + 1);
  ++round_;
  counted_.clear();
  stage_ = Stage::pushing;
  confirms_ = segment_.communicator().nodes() == 1;
  received_before_ = receiver_.received();
  tested_ns_ = 0;
  outstanding_ = true;
  const Status begun = go_on();
  return begun == Status::again ? Status::ok : begun;
}

Status SparseExchange::test(const char *call) {
  if (!outstanding_) return fail(Status::state, "%s on rank %d: no exchange has been started", call, segment_.rank());
  if (broken_) return fail(Status::state, "%s on rank %d: the exchange has failed", call, segment_.rank());
  const Status status = go_on();
  return status == Status::again ? look_for_lost(call) : status;
}

/// Now and then, as callers repeat tests. Fails if a process of this node has ended, a request to another node has failed, or that has taken
/// too long. What was sent before counts, so it looks once more.
Status SparseExchange::look_for_lost(const char *call) {
  const std::int64_t now = now_ns();
  if (now < next_look_ns_) return Status::again;
  next_look_ns_ = now + kLookEvery_ns;
  tested_ns_ += kLookEvery_ns;
  const int dead = segment_.communicator().find_dead();
  Status lost = segment_.check_network(call);
  if (dead >= 0)
    lost = fail(Status::peer_died, "%s: rank %d has not finished, and the process of rank %d has ended", call, segment_.rank(), dead);
  else if (const std::int64_t most_ns = segment_.communicator().timeout_ns(); most_ns > 0 && tested_ns_ > most_ns && !failed(lost))
    lost = fail_for_time(Status::timeout, call);
  if (!failed(lost)) return Status::again;
  const Status last = go_on();
  return last == Status::again ? mark_broken(lost) : last;
}

Status SparseExchange::finish() {
  Status status = test(kFinish);
  if (failed(status)) return status;
  const auto there = [&] { return status != Status::again || (status = go_on()) != Status::again; };
  const Status waited = await(segment_, CallName::sparse_finish, there, [&](const WaitStatus &failure) {
    if (failure.dead_rank >= 0)
      return fail(failure.status, "%s: rank %d has not finished, and the process of rank %d has ended", kFinish, segment_.rank(),
                  failure.dead_rank);
    return fail_for_time(failure.status, kFinish);
  });
  HLC_TRY(mark_broken(waited));
  outstanding_ = outstanding_ && failed(status);
  return status;
}

Status SparseExchange::fail_for_time(Status status, const char *call) const {
  return fail(status, "%s: rank %d timed out after %lld s waiting for %s (HALOCLINE_TIMEOUT)", call, segment_.rank(),
              most_seconds(segment_), awaited().c_str());
}

/// What the exchange waits for.
std::string SparseExchange::awaited() const {
  if (stage_ == Stage::in_counted) return segment_.name_of(counted_.awaited());
  if (stage_ == Stage::flushing) return segment_.name_of(flushed_last_);
  if (stage_ == Stage::in_barrier) return segment_.name_of(barrier_.awaited());
  if (!sender_.is_done()) return segment_.name_of(sender_.awaited());
  return std::to_string(counted_.expected() - (receiver_.received() - received_before_)) + " messages";
}

/// As far as it goes without waiting for other ranks: ok once the exchange is complete.
Status SparseExchange::go_on() {
  if (stage_ == Stage::complete) return Status::ok;
  return mark_broken(alone(segment_.communicator(), [this] {
    segment_.poll();
    HLC_TRY(receiver_.drain(kFinish, round_));
    if (!confirms_)
      if (const Status status = go_on_counted(); status != Status::ok) return status;
    if (confirms_)
      if (const Status status = go_on_confirmed(); status != Status::ok) return status;
    HLC_TRY(segment_.flush_outgoing(kFinish));
    stage_ = Stage::complete;
    return Status::ok;
  }));
}

/// Between nodes: ok once this rank has as many messages as there are for it, or all ranks are to confirm.
Status SparseExchange::go_on_counted() {
  const Status pushed = sender_.push(kFinish);
  if (failed(pushed)) return pushed;
  if (stage_ == Stage::pushing) {
    // SYNC placed-before-entered (pairs with receive_counted): so tickets of the next exchange are after those of this one.
    if (!sender_.all_have_places()) return Status::again;
    sender_.count_targets();
    counted_.enter(round_);
    stage_ = Stage::in_counted;
  }
  if (stage_ == Stage::in_counted) {
    if (const Status status = counted_.look(kFinish); status != Status::ok) return status;
    confirms_ = !counted_.is_exact();
    stage_ = confirms_ ? Stage::pushing : Stage::receiving;
  }
  return confirms_ ? Status::ok : receive_counted();
}

/// Looks once more for what has arrived since the last look.
Status SparseExchange::receive_counted() {
  // SYNC placed-before-entered (pairs with go_on_counted)
  HLC_TRY(receiver_.drain(kFinish, round_));
  // SYNC counted-before-left (pairs with CountedBarrier::send)
  const bool has_all = receiver_.received() - received_before_ == counted_.expected();
  return has_all && sender_.is_done() ? Status::ok : Status::again;
}

/// On one node, or where counts could not be relied on: ok once all ranks have entered the barrier.
Status SparseExchange::go_on_confirmed() {
  if (stage_ == Stage::pushing) {
    if (const Status status = sender_.push(kFinish); status != Status::ok) return status;
    if (segment_.communicator().nodes() > 1) flushes_ = segment_.network().requests()->begin_flushes(true);
    stage_ = Stage::flushing;
  }
  if (stage_ == Stage::flushing) {
    if (const Status status = look_at_flush(); status != Status::ok) return status;
    barrier_.enter();
    stage_ = Stage::in_barrier;
  }
  if (const Status status = barrier_.look(kFinish); status != Status::ok) return status;
  // All pieces of this exchange are there.
  return receiver_.drain(kFinish, round_);
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
