// Finding windows by their handles, their barrier, and their errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/window.hpp"

#include <cstddef>
#include <cstdint>

#include "base/first_failure.hpp"
#include "engine/rma/operations.hpp"
#include "engine/sync/dissemination.hpp"
#include "engine/sync/pending_barrier.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {

constinit halocline::mpi::HandleTable windows;

void add_window(Window *window) { windows.insert(halocline::mpi::handle_bits(window->handle), window); }

/// Another thread may have got the same handle from the host already: then there is another window in its place.
void remove_window(const Window &window) { windows.erase(halocline::mpi::handle_bits(window.handle), &window); }

constexpr const char *kFlush = "a flush of a window of MPI", *kLastBarrier = "the end of a window of MPI";

/// If a rank is lost, what goes to the others is complete all the same.
int Window::complete_far(int target, Completion completion) {
  RequestEngine &requests = *node->context.network().requests();
  const auto flush = [&](int rank) {
    return completion == Completion::remote ? requests.flush(rank, kFlush, true) : requests.give_back_memory(rank, kFlush, Uses::any);
  };
  FirstFailure failure(flush(target));
  for (int rank = 0; rank < size() && target == kAllTargets && !failure.none(); ++rank)
    if (!node->is_near(rank)) failure.note(flush(rank));
  return code_of(failure.status());
}

int Window::complete_all() {
  const int code = complete(kAllTargets, Completion::remote);
  if (code != MPI_SUCCESS || !node->spans_nodes()) return code;
  return code_of(node->context.network().requests()->confirm_all(kFlush));
}

int Window::end_reads(int target) {
  return node->spans_nodes() ? code_of(node->context.network().requests()->give_back_memory(target, kFlush, Uses::reads)) : MPI_SUCCESS;
}

int Window::complete_before_barrier() {
  if (!node->keeps_order()) return complete(kAllTargets, Completion::remote);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The other one of two ranks is told of the barrier behind the data. A third rank may be told before they arrive, and access them.
  const int told = size() == 2 ? 1 - rank() : -1;
  return code_of(node->context.network().requests()->flush_before_telling(told, kFlush));
}

Status Window::barrier() {
  if (node->spans_nodes()) return far_barrier();
  const Dissemination order(rank(), size());
  barriers_ += 1;
  for (int round = 0; round < order.rounds(); ++round) {
    notify(memory.round(order.above(round), round), barriers_);
    node->ring(order.above(round));
    HLC_TRY(await([&] { return reached(memory.round(rank(), round), barriers_); }));
  }
  return Status::ok;
}

/// By the words of the segment. Before the rank leaves, what it has sent has left as well: the program may compute for long after this.
Status Window::far_barrier() {
  constexpr const char *kCall = "a barrier of a window of MPI";
  PendingBarrier pending(*memory.segment(), node->keeps_order());
  pending.enter();
  HLC_TRY(await_ok([&] { return pending.look(kCall); }));
  return memory.segment()->flush_outgoing(kCall);
}

/// Of some networks the messages of a barrier are answered. Ranks that are in it answer at once, those that have left the window perhaps never.
Status Window::last_barrier() {
  HLC_TRY(barrier());
  return node->spans_nodes() ? node->context.network().requests()->flush(-1, kLastBarrier, false) : Status::ok;
}

/// On several nodes a rank whose wait fails tells those next to it. They may wait for it, and do not know the rank that is lost.
Status Window::find_lost() {
  FirstFailure failure(node->look_for_dead());
  if (!node->spans_nodes()) return failure.status();
  if (failure.none() && memory.words(rank()).lost.load(std::memory_order_relaxed) != 0)
    failure.note(fail(Status::peer_died, "rank %d waits for others, and one of them has told that a rank is lost", rank()));
  if (!failure.none() && !has_told_.exchange(true)) tell_neighbours();
  return failure.status();
}

/// Those 2^k above and below. A rank that cannot be told is lost itself. What is under way to it may never leave this process.
void Window::tell_neighbours() {
  constexpr std::uint64_t kPatience_ms = 200, kLost = 1;
  constexpr const char *kCall = "telling of a lost rank";
  constexpr auto kOffset = static_cast<std::int64_t>(offsetof(TargetWords, lost));
  const Dissemination order(rank(), size());
  for (int round = 0; round < order.rounds(); ++round)
    for (const int other : {order.above(round), order.below(round)}) {
      if (node->is_near(other))
        memory.word_here(other, kOffset)->store(kLost, std::memory_order_relaxed);
      else
        static_cast<void>(accumulate(kCall, {memory.control(other), kOffset}, {HLC_OP_REPLACE, HLC_NUMBER_UINT64}, {&kLost, 1}));
      node->ring(other);
    }
  Wait wait(node->context, WakeUp::by_polling);
  const auto has_left = [&] { return node->context.network().requests()->test_outgoing(kCall); };
  static_cast<void>(wait_until(wait, has_left, [] { return Status::ok; }, kPatience_ms));
}

int call_handler(const Window &window, int code) {
  explain(window.handle, window.rank(), code);
  PMPI_Win_call_errhandler(window.handle, code);
  return code;
}

int code_of_failure(Status status) {
  if (status == Status::peer_died) return refuse(class_of_dead_peer(), "%s", error_message());
  return refuse(status == Status::memory ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, "%s", error_message());
}

}  // namespace halocline::core::mpi
