// MPI_Win_flush in its four forms, and MPI_Win_sync (MPI 4.1, section 12.5.4).
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/calls/synchronisation.hpp"

namespace halocline::core::mpi {
namespace {

/// Inlined, as a flush follows each short access of many programs.
[[gnu::always_inline]] inline int flush(Window &window, int target, Completion completion) {
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!is_target(window, target)) return refuse_rank(window, target);
  if (!window.epochs.is_locked(target)) return refuse(MPI_ERR_RMA_SYNC, "rank %d is not locked by this rank", target);
  const int code = window.flush(target, completion);
  window.comm->yield_if_oversubscribed();
  return code;
}

/// The usual flush: of a locked rank, in a window of one node. False: `flush` has all to do.
[[gnu::always_inline]] inline bool flush_at_once(Window &window, int target) {
  if (static_cast<unsigned>(target) >= static_cast<unsigned>(window.ranks_at_once)) return false;
  if (window.epochs.locks_all == Hold::none && window.epochs.only_lock(target) == Hold::none) return false;
  window.order_before_flush();
  window.comm->yield_if_oversubscribed();
  return true;
}

/// Apart, so that the usual call saves no registers for it.
[[gnu::noinline]] int flush_slowly(Window &window, int target) {
  return checked(window, CheckedSync{Sync::flush, target}, [&] { return flush(window, target, Completion::remote); });
}

int flush_all(Window &window, Completion completion) {
  if (!window.epochs.locks_any()) return MPI_ERR_RMA_SYNC;
  const int code = window.flush(kAllTargets, completion);
  window.comm->yield_if_oversubscribed();
  return code;
}

int sync(Window &window) {
  order_accesses();
  window.comm->yield_if_oversubscribed();
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Win_flush(int rank, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return host::Win_flush(rank, win);
  if (flush_at_once(*window, rank)) return MPI_SUCCESS;
  return answer(*window, flush_slowly(*window, rank));
}

int MPI_Win_flush_local(int rank, MPI_Win win) {
  return with_window(
      win,
      [=](Window &window) {
        return checked(window, CheckedSync{Sync::flush_local, rank}, [&] { return flush(window, rank, Completion::local); });
      },
      [=] { return host::Win_flush_local(rank, win); });
}

int MPI_Win_flush_all(MPI_Win win) {
  return with_window(
      win,
      [](Window &window) { return checked(window, CheckedSync{Sync::flush_all}, [&] { return flush_all(window, Completion::remote); }); },
      [=] { return host::Win_flush_all(win); });
}

int MPI_Win_flush_local_all(MPI_Win win) {
  return with_window(
      win,
      [](Window &window) {
        return checked(window, CheckedSync{Sync::flush_local_all}, [&] { return flush_all(window, Completion::local); });
      },
      [=] { return host::Win_flush_local_all(win); });
}

int MPI_Win_sync(MPI_Win win) {
  return with_window(
      win, [](Window &window) { return checked(window, CheckedSync{Sync::sync}, [&] { return sync(window); }); },
      [=] { return host::Win_sync(win); });
}

HLC_MPI_PROFILED(MPI_Win_flush)
HLC_MPI_PROFILED(MPI_Win_flush_local)
HLC_MPI_PROFILED(MPI_Win_flush_all)
HLC_MPI_PROFILED(MPI_Win_flush_local_all)
HLC_MPI_PROFILED(MPI_Win_sync)

}  // extern "C"
