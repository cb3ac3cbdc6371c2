// The locks of passive target synchronisation, in two levels: a word per target, and one of the window for ranks that lock all targets (R.
// Gerstenberger, M. Besta, T. Hoefler: Enabling Highly Scalable Remote Memory Access Programming with MPI-3 One Sided, section 2.4). On one
// node an exclusive lock only looks at the window's word, and ranks that lock all look at the targets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// Waits until this rank holds the lock. If that fails, it has nothing of it.
Status lock_shared(Window &window, int target);
Status lock_exclusive(Window &window, int target);
Status lock_all(Window &window);

/// Completes all accesses to the target, and releases its lock. An MPI error class, which is one only if a rank of another node cannot be
/// reached. What was written under the lock is seen by ranks that hold it next.
int complete_and_unlock(Window &window, int target, Hold hold);
/// All accesses to other nodes are complete.
Status unlock_all(Window &window);

/// Parts of lock_accumulates and unlock_accumulates.
Status wait_for_accumulates(Window &window, int target);
Status unlock_accumulates_slowly(Window &window, int target);
inline bool try_accumulates(TargetWords &words) {
  // SYNC accumulated-before-next (pairs with unlock_accumulates)
  return words.accumulates.exchange(1, std::memory_order_acquire) == 0;
}
/// The first failure of two steps.
inline int first_of(int first, int second) { return first != MPI_SUCCESS ? first : second; }

/// The lock of accumulates that no instruction does, held for one accumulate.
inline Status lock_accumulates(Window &window, int target) {
  if (!window.comm->spans_nodes() && try_accumulates(window.memory.words(target))) return Status::ok;
  return wait_for_accumulates(window, target);
}
inline Status unlock_accumulates(Window &window, int target) {
  if (window.comm->spans_nodes()) return unlock_accumulates_slowly(window, target);
  TargetWords &words = window.memory.words(target);
  // SYNC accumulated-before-next (pairs with try_accumulates). No fence follows: the store may be seen after the look for waiting ranks. A
  // rank that begins to wait looks many times before it sleeps, and once more within 10 ms.
  words.accumulates.store(0, std::memory_order_release);
  return words.accumulates_waiting.load(std::memory_order_relaxed) > 0 ? unlock_accumulates_slowly(window, target) : Status::ok;
}

}  // namespace halocline::core::mpi
