// The locks of passive target synchronisation, in two levels: a word per target, and one of the window for ranks that lock all targets (R.
// Gerstenberger, M. Besta, T. Hoefler: Enabling Highly Scalable Remote Memory Access Programming with MPI-3 One Sided, section 2.4). On one
// node an exclusive lock only looks at the window's word, and ranks that lock all look at the targets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/sync/group_lock.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// Releases an exclusive lock in a window of one node before the call that has taken it returns.
[[gnu::cold]] void give_up_exclusive(Window &window, int target);

// Of a target's lock: shared, exclusive.
inline constexpr LockSide kShared{0, false}, kExclusive{1, true};

/// In a window of one node: a lock that is free and that no rank waits for, in few instructions. False: this rank does not have it.
[[gnu::always_inline]] inline bool try_shared(Window &window, int target) {
  return take_unawaited<kShared>(window.memory.words_on_node(target).lock.word);
}
[[gnu::always_inline]] inline bool try_unlock_shared(Window &window, int target) {
  return give_back_unawaited<kShared>(window.memory.words_on_node(target).lock.word);
}
/// The same for an exclusive lock; false also if ranks lock all targets.
[[gnu::always_inline]] inline bool try_exclusive(Window &window, int target) {
  if (!take_unawaited<kExclusive>(window.memory.words_on_node(target).lock.word)) return false;
  if (needs_target_alone(window.memory.words_on_node(0).all.word)) [[likely]]
    return true;
  return give_up_exclusive(window, target), false;
}
[[gnu::always_inline]] inline bool try_unlock_exclusive(Window &window, int target) {
  if (!give_back_unawaited<kExclusive>(window.memory.words_on_node(target).lock.word)) return false;
  if (!needs_target_alone(window.memory.words_on_node(0).all.word)) [[unlikely]]
    window.comm->context.ring_node();
  return true;
}

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
  // SYNC accumulated-before-next (pairs with release_accumulates)
  return words.accumulates.exchange(1, std::memory_order_acquire) == 0;
}
/// The first failure of two steps.
inline int first_of(int first, int second) { return first != MPI_SUCCESS ? first : second; }

/// The lock of accumulates that no instruction does, held for one accumulate.
inline Status lock_accumulates(Window &window, int target) {
  if (!window.comm->spans_nodes() && try_accumulates(window.memory.words(target))) return Status::ok;
  return wait_for_accumulates(window, target);
}
/// The same in a window of one node, by the words of the target.
inline Status release_accumulates(Window &window, int target, TargetWords &words) {
  // SYNC accumulated-before-next (pairs with try_accumulates). No fence follows: the store may be seen after the look for waiting ranks. A
  // rank that begins to wait looks many times before it sleeps, and once more within 10 ms.
  words.accumulates.store(0, std::memory_order_release);
  return words.accumulates_waiting.load(std::memory_order_relaxed) > 0 ? unlock_accumulates_slowly(window, target) : Status::ok;
}
inline Status unlock_accumulates(Window &window, int target) {
  if (window.comm->spans_nodes()) return unlock_accumulates_slowly(window, target);
  return release_accumulates(window, target, window.memory.words(target));
}

}  // namespace halocline::core::mpi
