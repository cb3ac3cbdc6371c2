// Words of other nodes. What needs a reply is a resumable operation of the engine, in a wait that knows no time limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window_word.hpp"

#include "engine/rma/operations.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kCall = "synchronisation of an MPI window";

/// Waits for the reply of a query, which is forgotten if the wait fails. The look fails once the rank that is asked is lost. The end of
/// another rank does not end the wait: then no rank would know whether the word has been changed.
template <class Ask>
Status await_reply(Window &window, Ask ask) {
  Query query;
  RequestEngine &requests = *window.node->context.network().requests();
  Wait wait(window.node->context, WakeUp::by_polling);
  const Status status = wait_until(wait, [&] { return ask(query); }, [&] { return window.node->look_for_lost(); });
  if (failed(status)) requests.queries().forget(query);
  return status;
}

}  // namespace

Status WindowWord::load_far(std::uint64_t *seen) const {
  const RemoteMemory memory = window_->memory.control(rank_);
  return await_reply(*window_,
                     [&](Query &query) { return fetch_op(kCall, {memory, offset_}, {HLC_OP_READ, kType}, {nullptr, seen}, query); });
}

Status WindowWord::change_far(hlc_action action, std::uint64_t operand) const {
  return change_silently(kCall, {window_->memory.control(rank_), offset_}, action, &operand);
}

Status WindowWord::leave(Window &window) {
  return window.node->spans_nodes() ? window.memory.segment()->flush_outgoing(kCall) : Status::ok;
}

Status WindowWord::swap_far(std::uint64_t *seen, std::uint64_t wanted) const {
  const RemoteMemory memory = window_->memory.control(rank_);
  const std::uint64_t expected = *seen;
  HLC_TRY(await_reply(*window_,
                      [&](Query &query) { return compare_swap(kCall, {memory, offset_}, kType, {&expected, &wanted, seen}, query); }));
  return *seen == expected ? Status::ok : Status::again;
}

}  // namespace halocline::core::mpi
