// Finding windows by their handles, their barrier, and their errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/window.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/first_failure.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"
#include "engine/sync/dissemination.hpp"
#include "engine/sync/pending_barrier.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {

constinit halocline::mpi::HandleTable windows;

void add_window(Window *window) { windows.insert(halocline::mpi::handle_bits(window->handle), window); }

/// Another thread may have got the same handle from the host already: then there is another window in its place.
void remove_window(const Window &window) { windows.erase(halocline::mpi::handle_bits(window.handle), &window); }

constexpr const char *kFlush = "MPI RMA flush", *kLastBarrier = "MPI RMA end of window";

/// If a rank is lost, transfers to live ranks still complete.
int Window::complete_far(int target, Completion completion) {
  RequestEngine &requests = *comm->context.network().requests();
  const auto flush = [&](int rank) {
    return completion == Completion::remote ? requests.flush(rank, kFlush, true) : requests.give_back_memory(rank, kFlush, Uses::any);
  };
  FirstFailure failure(flush(target));
  for (int rank = 0; rank < size() && target == kAllTargets && !failure.none(); ++rank)
    if (!comm->is_near(rank)) failure.note(flush(rank));
  if (completion == Completion::remote && has_sent_puts_.load(std::memory_order_relaxed)) failure.note(requests.confirm_all(kFlush));
  return code_of(failure.status());
}

int Window::complete_all() {
  const int code = complete(kAllTargets, Completion::remote);
  if (code != MPI_SUCCESS || !comm->spans_nodes()) return code;
  return code_of(comm->context.network().requests()->confirm_all(kFlush));
}

int Window::end_reads(int target) {
  return comm->spans_nodes() ? code_of(comm->context.network().requests()->give_back_memory(target, kFlush, Uses::reads)) : MPI_SUCCESS;
}

int Window::complete_before_barrier() {
  if (!comm->keeps_order() || has_sent_puts_.load(std::memory_order_relaxed)) return complete(kAllTargets, Completion::remote);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Of two ranks, the peer gets the barrier's notification after the data. With more, a third rank may be notified before the data arrive, and
  // access them.
  const int peer = size() == 2 ? 1 - rank() : -1;
  return code_of(comm->context.network().requests()->flush_before_notify(peer, kFlush));
}

Status Window::barrier() {
  if (comm->spans_nodes()) return far_barrier();
  const Dissemination order(rank(), size());
  barriers_ += 1;
  for (int round = 0; round < order.rounds(); ++round) {
    notify(memory.round(order.above(round), round), barriers_);
    comm->ring(order.above(round));
    HLC_TRY(await([&] { return reached(memory.round(rank(), round), barriers_); }));
  }
  return Status::ok;
}

/// By the words of the segment. Before the rank leaves, its messages have left this process: the program may compute for a long time after this.
Status Window::far_barrier() {
  constexpr const char *kCall = "MPI RMA barrier";
  PendingBarrier pending(*memory.segment(), comm->keeps_order());
  pending.enter();
  HLC_TRY(await_ok([&] { return pending.look(kCall); }));
  return memory.segment()->flush_outgoing(kCall);
}

/// On some networks the messages of a barrier need replies. Ranks in the barrier reply at once, those that have left the window perhaps never.
Status Window::last_barrier() {
  HLC_TRY(barrier());
  return comm->spans_nodes() ? comm->context.network().requests()->flush(-1, kLastBarrier, false) : Status::ok;
}

/// On several nodes a rank whose wait fails notifies its neighbours. They may wait for it, and do not know the rank that is lost.
Status Window::find_lost() {
  FirstFailure failure(comm->look_for_dead());
  if (!comm->spans_nodes()) return failure.status();
  if (failure.none() && memory.words(rank()).lost.load(std::memory_order_relaxed) != 0)
    failure.note(fail(Status::peer_died, "rank %d waits for other ranks, and a peer reported that a rank failed", rank()));
  if (!failure.none() && !failure_reported_.exchange(true)) report_failure();
  return failure.status();
}

/// To the ranks 2^k above and below. A rank that cannot be reached is lost itself. Messages to it may never leave this process.
void Window::report_failure() {
  constexpr std::uint64_t kPatience_ms = 200, kLost = 1;
  constexpr const char *kCall = "MPI RMA failure notice";
  constexpr auto kOffset = static_cast<std::int64_t>(offsetof(TargetWords, lost));
  const Dissemination order(rank(), size());
  for (int round = 0; round < order.rounds(); ++round)
    for (const int other : {order.above(round), order.below(round)}) {
      if (comm->is_near(other))
        memory.word_here(other, kOffset)->store(kLost, std::memory_order_relaxed);
      else
        static_cast<void>(accumulate(kCall, {memory.control(other), kOffset}, {HLC_OP_REPLACE, HLC_NUMBER_UINT64}, {&kLost, 1}));
      comm->ring(other);
    }
  Wait wait(comm->context, WakeUp::by_polling);
  const auto has_left = [&] { return comm->context.network().requests()->test_outgoing(kCall); };
  static_cast<void>(wait_until(wait, has_left, [] { return Status::ok; }, kPatience_ms));
}

int call_handler(const Window &window, int code) {
  explain(window.handle, window.rank(), code);
  PMPI_Win_call_errhandler(window.handle, code);
  return code;
}

/// A message of the engine without the name of its operation, and without "on rank N": `explain` names the MPI function and the rank.
static const char *without_call(const char *message) {
  const std::size_t length = std::strlen(kRmaPrefix);
  if (std::strncmp(message, kRmaPrefix, length) != 0) return message;
  const char *const end = std::strstr(message + length, ": ");
  return end ? end + 2 : message;
}

int code_of_failure(Status status) {
  const char *const why = without_call(error_message());
  if (status == Status::peer_died) return refuse(class_of_dead_peer(), "%s", why);
  return refuse(status == Status::memory ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, "%s", why);
}

}  // namespace halocline::core::mpi
