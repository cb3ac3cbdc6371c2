// MPI_Win_lock, lock_all and their unlocks (MPI 4.1, section 12.5.3).
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/calls/synchronisation.hpp"
#include "faces/mpi/sync/locks.hpp"

namespace halocline::core::mpi {
namespace {

int lock(Window &window, int type, int target, int assertion) {
  Epochs &epochs = window.epochs;
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE) return refuse(MPI_ERR_LOCKTYPE, "invalid lock type %d", type);
  if (!is_target(window, target)) return refuse_rank(window, target);
  if (const int code = check_assertion(assertion)) return code;
  if (epochs.is_locked(target) || epochs.is_started)
    return refuse(MPI_ERR_RMA_SYNC, "rank %d is already locked, or a PSCW epoch is open", target);
  if (const int code = check_fence(epochs)) return code;
  Hold hold = type == MPI_LOCK_SHARED ? Hold::shared : Hold::exclusive;
  if (assertion & MPI_MODE_NOCHECK) hold = Hold::unchecked;
  window.comm->yield_if_oversubscribed();
  if (hold == Hold::shared)
    if (const int code = code_of(lock_shared(window, target))) return code;
  if (hold == Hold::exclusive)
    if (const int code = code_of(lock_exclusive(window, target))) return code;
  epochs.fence.store(Fence::closed, std::memory_order_relaxed);
  epochs.add_lock(target, hold);
  return MPI_SUCCESS;
}

/// The usual lock: it is free, and this rank has no epoch of the window. False: `lock` has all to do.
[[gnu::always_inline]] inline bool lock_at_once(Window &window, int type, int target, int assertion) {
  if (static_cast<unsigned>(target) >= static_cast<unsigned>(window.ranks_at_once)) return false;
  if (assertion != 0 || !window.epochs.is_idle()) return false;
  const bool is_shared = type == MPI_LOCK_SHARED;
  if (!is_shared && type != MPI_LOCK_EXCLUSIVE) return false;
  window.comm->yield_if_oversubscribed();
  if (!(is_shared ? try_shared(window, target) : try_exclusive(window, target))) return false;
  window.epochs.add_only_lock(target, is_shared ? Hold::shared : Hold::exclusive);
  return true;
}

/// The unlock of such a lock, if no rank waits for it. False: `unlock` has all to do.
[[gnu::always_inline]] inline bool unlock_at_once(Window &window, int target) {
  if (static_cast<unsigned>(target) >= static_cast<unsigned>(window.ranks_at_once)) return false;
  const Hold hold = window.epochs.only_lock(target);
  if (hold != Hold::shared && hold != Hold::exclusive) return false;
  if (!(hold == Hold::shared ? try_unlock_shared(window, target) : try_unlock_exclusive(window, target))) return false;
  window.epochs.remove_only_lock(target);
  return true;
}

/// Others may run in the lock before it.
int unlock(Window &window, int target) {
  Epochs &epochs = window.epochs;
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!is_target(window, target)) return refuse_rank(window, target);
  const Hold hold = epochs.hold(target);
  if (hold < Hold::shared) return refuse(MPI_ERR_RMA_SYNC, "rank %d is not locked by this rank", target);
  epochs.remove_lock(target);
  return hold == Hold::unchecked ? window.complete(target, Completion::remote) : complete_and_unlock(window, target, hold);
}

// Apart, so that the usual call saves no registers for them.

[[gnu::noinline]] int lock_slowly(Window &window, int type, int target, int assertion) {
  return checked(window, CheckedSync{Sync::lock, target}, [&] { return lock(window, type, target, assertion); });
}

[[gnu::noinline]] int unlock_slowly(Window &window, int target) {
  return checked(window, CheckedSync{Sync::unlock, target}, [&] { return unlock(window, target); });
}

int lock_all(Window &window, int assertion) {
  Epochs &epochs = window.epochs;
  if (const int code = check_assertion(assertion)) return code;
  if (epochs.locks_any() || epochs.is_started) return MPI_ERR_RMA_SYNC;
  if (const int code = check_fence(epochs)) return code;
  const bool checks = (assertion & MPI_MODE_NOCHECK) == 0;
  window.comm->yield_if_oversubscribed();
  if (checks)
    if (const int code = code_of(lock_all(window))) return code;
  epochs.fence.store(Fence::closed, std::memory_order_relaxed);
  epochs.locks_all = checks ? Hold::shared : Hold::unchecked;
  return MPI_SUCCESS;
}

int unlock_all_targets(Window &window) {
  Epochs &epochs = window.epochs;
  if (epochs.locks_all == Hold::none) return MPI_ERR_RMA_SYNC;
  const int completed = window.complete(kAllTargets, Completion::remote);
  const Status unlocked = epochs.locks_all == Hold::shared ? unlock_all(window) : Status::ok;
  epochs.locks_all = Hold::none;
  return completed != MPI_SUCCESS ? completed : code_of(unlocked);
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return host::Win_lock(lock_type, rank, assertion, win);
  if (lock_at_once(*window, lock_type, rank, assertion)) return MPI_SUCCESS;
  return answer(*window, lock_slowly(*window, lock_type, rank, assertion));
}

int MPI_Win_unlock(int rank, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return host::Win_unlock(rank, win);
  if (unlock_at_once(*window, rank)) return MPI_SUCCESS;
  return answer(*window, unlock_slowly(*window, rank));
}

int MPI_Win_lock_all(int assertion, MPI_Win win) {
  return with_window(
      win, [=](Window &window) { return checked(window, CheckedSync{Sync::lock_all}, [&] { return lock_all(window, assertion); }); },
      [=] { return host::Win_lock_all(assertion, win); });
}

int MPI_Win_unlock_all(MPI_Win win) {
  return with_window(
      win, [](Window &window) { return checked(window, CheckedSync{Sync::unlock_all}, [&] { return unlock_all_targets(window); }); },
      [=] { return host::Win_unlock_all(win); });
}

HLC_MPI_PROFILED(MPI_Win_lock)
HLC_MPI_PROFILED(MPI_Win_unlock)
HLC_MPI_PROFILED(MPI_Win_lock_all)
HLC_MPI_PROFILED(MPI_Win_unlock_all)

}  // extern "C"
