// Requests under way are generalised requests of the host. While the program waits inside the host, that calls a function here, which drives
// the network and completes the request. MPICH and Intel MPI have such functions of a request (MPIX_Grequest_start). Open MPI calls one
// whenever it progresses (opal_progress_register).
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/calls/requests.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "engine/network/request_engine.hpp"
#include "faces/mpi/access/resolve_target.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/window/host_progress.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kRequestCall = "MPI RMA request";

/// How long nothing has arrived. The time between two looks counts up to a limit: beyond it the program does something else.
class Patience {
 public:
  /// True once that is longer than the time limit, if there is one.
  bool is_over(std::uint64_t progress, std::int64_t timeout_ns) {
    const std::int64_t now = now_ns();
    waited_ns_ = progress == progress_ ? waited_ns_ + std::min(now - looked_ns_, kLongestGap_ns) : 0;
    progress_ = progress;
    looked_ns_ = now;
    return timeout_ns > 0 && waited_ns_ > timeout_ns;
  }

 private:
  static constexpr std::int64_t kLongestGap_ns = 100'000'000;

  std::uint64_t progress_ = 0;
  std::int64_t looked_ns_ = now_ns(), waited_ns_ = 0;
};

/// What a request waits for. The host owns it: it ends with free_state.
struct UnderWay {
  std::shared_ptr<CommContext> comm;  // the window may be freed before the request
  const Window *window = nullptr;
  MPI_Win handle = MPI_WIN_NULL;
  Flush flush;
  std::function<void()> checked;  // null if nothing is checked
  Patience patience;
  MPI_Request request = MPI_REQUEST_NULL;
  std::atomic<bool> is_over{false};
  int code = MPI_SUCCESS;

  RequestEngine &requests() const { return *comm->context.network().requests(); }
  /// After a poll.
  Status look() {
    const Status status = requests().look_polled(flush, kRequestCall);
    const bool is_late = status == Status::again && patience.is_over(flush.progress, comm->context.timeout_ns());
    return is_late ? requests().late(kRequestCall, flush.rank) : status;
  }
  /// True for the one caller that finds it over, after a poll.
  bool ends() {
    if (is_over.load(std::memory_order_acquire)) return false;
    const Status status = look();
    if (status == Status::again || is_over.exchange(true, std::memory_order_acq_rel)) return false;
    code = code_of(status);
    return true;
  }
  /// For the one caller that has found it over. A failure is reported by the window. Once that is freed, the wait returns it.
  int complete() {
    const bool has_window = find_window(handle) == window;
    if (has_window && checked) checked();
    if (has_window && code != MPI_SUCCESS) call_handler(*window, std::exchange(code, MPI_SUCCESS));
    return PMPI_Grequest_complete(request);
  }
};

int query_state(void *state, MPI_Status *status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return static_cast<UnderWay *>(state)->code;
}
int free_state(void *state) {
  delete static_cast<UnderWay *>(state);
  return MPI_SUCCESS;
}
int cancel_state(void *, int) { return MPI_SUCCESS; }

// MPICH and Intel MPI.

int poll_state(void *state, MPI_Status *) {
  auto *const transfer = static_cast<UnderWay *>(state);
  transfer->requests().poll();
  return transfer->ends() ? transfer->complete() : MPI_SUCCESS;
}

/// Another thread may complete it.
int wait_for_state(UnderWay &transfer) {
  Wait wait(transfer.comm->context, WakeUp::by_polling);
  bool ended = false;
  const auto look = [&] {
    transfer.requests().poll();
    ended = transfer.ends();
    return ended || transfer.is_over ? Status::ok : Status::again;
  };
  static_cast<void>(wait_until(wait, look, [] { return Status::ok; }));
  return ended ? transfer.complete() : MPI_SUCCESS;
}

/// Until all are over.
int wait_for_states(int count, void **states, double, MPI_Status *) {
  for (int i = 0; i < count; ++i) {
    auto *const transfer = static_cast<UnderWay *>(states[i]);
    if (transfer->is_over) continue;
    if (const int code = wait_for_state(*transfer)) return code;
  }
  return MPI_SUCCESS;
}

using StartPolled = int (*)(MPI_Grequest_query_function *, MPI_Grequest_free_function *, MPI_Grequest_cancel_function *,
                            int (*)(void *, MPI_Status *), int (*)(int, void **, double, MPI_Status *), void *, MPI_Request *);
StartPolled find_start_polled() {
  static const auto found = reinterpret_cast<StartPolled>(dlsym(RTLD_NEXT, "PMPIX_Grequest_start"));
  return found;
}

// Open MPI.

/// The requests that its progress completes. Never destroyed.
struct Listed {
  std::mutex mutex;
  std::vector<UnderWay *> all;
  std::atomic<bool> any{false};
};
Listed &listed() {
  static auto *const made = new Listed;
  return *made;
}

/// Polls once for requests of one communicator in a row.
void poll_for(const std::vector<UnderWay *> &all) {
  const CommContext *polled = nullptr;
  for (const UnderWay *transfer : all) {
    if (transfer->comm.get() != polled) transfer->requests().poll();
    polled = transfer->comm.get();
  }
}

/// Called by Open MPI whenever it progresses. Returns how many requests have been completed.
int look_after_all() {
  Listed &list = listed();
  if (!list.any.load(std::memory_order_relaxed)) return 0;
  std::vector<UnderWay *> over;
  {
    const std::unique_lock lock(list.mutex, std::try_to_lock);
    if (!lock.owns_lock()) return 0;
    poll_for(list.all);
    const auto first_over = std::partition(list.all.begin(), list.all.end(), [](UnderWay *transfer) { return !transfer->ends(); });
    over.assign(first_over, list.all.end());
    list.all.erase(first_over, list.all.end());
    list.any.store(!list.all.empty(), std::memory_order_relaxed);
  }
  for (UnderWay *transfer : over) transfer->complete();
  return static_cast<int>(over.size());
}

/// False if the host cannot do that.
bool is_looked_after() {
  static const bool registered = join_progress_of_openmpi(look_after_all);
  return registered;
}

int start_listed(UnderWay &transfer) {
  if (const int code = PMPI_Grequest_start(query_state, free_state, cancel_state, &transfer, &transfer.request)) return code;
  Listed &list = listed();
  const std::lock_guard lock(list.mutex);
  list.all.push_back(&transfer);
  list.any.store(true, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

bool start(UnderWay &transfer) {
  if (const StartPolled start_polled = find_start_polled())
    return start_polled(query_state, free_state, cancel_state, poll_state, wait_for_states, &transfer, &transfer.request) == MPI_SUCCESS;
  return is_looked_after() && start_listed(transfer) == MPI_SUCCESS;
}

}  // namespace

bool give_request(Window &window, int target, MPI_Request *request) {
  auto transfer = std::make_unique<UnderWay>();
  transfer->comm = window.comm;
  transfer->window = &window;
  transfer->handle = window.handle;
  transfer->flush = window.comm->context.network().requests()->begin_flush(target, false);
  transfer->requests().poll();
  if (window.check) transfer->checked = window.check->end_of_request();
  if (transfer->look() != Status::again || !start(*transfer)) return false;
  *request = transfer.release()->request;
  window.comm->yield_if_oversubscribed();
  return true;
}

int end_with_request(Window &window, int code, int target, MPI_Request *request) {
  const bool has_begun = code == MPI_SUCCESS || code == MPI_ERR_RMA_CONFLICT;
  if (has_begun && target != MPI_PROC_NULL && !window.comm->is_near(target)) {
    if (code == MPI_SUCCESS && give_request(window, target, request)) return MPI_SUCCESS;
    const int completed = answer(window, window.complete(target, Completion::local));
    if (completed != MPI_SUCCESS) code = completed;
  }
  return complete_request(window, code, request);
}

}  // namespace halocline::core::mpi
