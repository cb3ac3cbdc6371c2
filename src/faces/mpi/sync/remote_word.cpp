// Words of other nodes. What needs a reply is a resumable operation of the engine.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/sync/remote_word.hpp"

#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kSyncCall = "MPI RMA synchronisation";

/// As for every access to a rank: it may compute, or wait in an MPI that serves no other rank meanwhile (HALOCLINE_PROGRESS=caller).
Status find_silence(const Context &context, const Wait &wait, int rank) {
  if (!wait.timed_out()) return Status::ok;
  return fail(Status::timeout, "%s: rank %d timed out after %lld s waiting for a reply of rank %d of the window (HALOCLINE_TIMEOUT)",
              kSyncCall, context.rank(), static_cast<long long>(context.timeout_ns() / 1'000'000'000), rank);
}

/// Waits for a reply of a rank. The look fails once that rank is lost. The end of another rank does not end the wait: then no rank
/// would know whether the word has been changed.
template <class Look>
Status await_answers(Window &window, int rank, Look look) {
  Context &context = window.comm->context;
  Wait wait(context, WakeUp::by_polling);
  const auto find_failure = [&] {
    const Status lost = window.comm->look_for_lost();
    return failed(lost) ? lost : find_silence(context, wait, rank);
  };
  return wait_until(wait, look, find_failure);
}

/// Waits for a rank's reply to a query, which is forgotten if the wait fails.
template <class Ask>
Status await_reply(Window &window, int rank, Ask ask) {
  Query query;
  const Status status = await_answers(window, rank, [&] { return ask(query); });
  if (failed(status)) window.comm->context.network().requests()->queries().forget(query);
  return status;
}

}  // namespace

Status WindowWord::load_far(std::uint64_t *seen) const {
  const RemoteMemory memory = window_->memory.control(rank_);
  return await_reply(*window_, rank_,
                     [&](Query &query) { return fetch_op(kSyncCall, {memory, offset_}, {HLC_OP_READ, kType}, {nullptr, seen}, query); });
}

Status WindowWord::change_far(hlc_action action, std::uint64_t operand) const {
  return change_silently(kSyncCall, {window_->memory.control(rank_), offset_}, action, &operand);
}

Status WindowWord::leave(Window &window) {
  return window.comm->spans_nodes() ? window.memory.segment()->flush_outgoing(kSyncCall) : Status::ok;
}

void WindowWord::swap_both(Swap (&swaps)[2]) {
  Window &window = *swaps[0].word.window_;
  RequestEngine &requests = *window.comm->context.network().requests();
  Query queries[2];
  const std::uint64_t expected[] = {*swaps[0].seen, *swaps[1].seen};
  const auto ask = [&](int i) {
    const Swap &swap = swaps[i];
    const RemoteMemory memory = window.memory.control(swap.word.rank_);
    return compare_swap(kSyncCall, {memory, swap.word.offset_}, kType, {&expected[i], &swap.wanted, swap.seen}, queries[i]);
  };
  bool over[2]{};
  const auto look = [&] {
    for (int i = 0; i < 2; ++i)
      if (!over[i]) over[i] = (swaps[i].done = ask(i)) != Status::again;
    return over[0] && over[1] ? Status::ok : Status::again;
  };
  const Status waited = await_answers(window, swaps[0].word.rank_, look);
  for (int i = 0; i < 2; ++i) {
    if (over[i] && swaps[i].done == Status::ok && *swaps[i].seen != expected[i]) swaps[i].done = Status::again;
    if (over[i]) continue;
    swaps[i].done = waited;
    requests.queries().forget(queries[i]);
  }
}

Status WindowWord::swap_far(std::uint64_t *seen, std::uint64_t wanted) const {
  const RemoteMemory memory = window_->memory.control(rank_);
  const std::uint64_t expected = *seen;
  HLC_TRY(await_reply(*window_, rank_,
                      [&](Query &query) { return compare_swap(kSyncCall, {memory, offset_}, kType, {&expected, &wanted, seen}, query); }));
  return *seen == expected ? Status::ok : Status::again;
}

}  // namespace halocline::core::mpi
