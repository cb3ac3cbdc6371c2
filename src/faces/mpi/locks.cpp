// A rank that finds a lock taken counts itself among those of its side that wait, and sleeps until an unlock rings. How the word of a lock
// changes is in two_sided_lock.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/locks.hpp"

#include <cstddef>

#include "base/first_failure.hpp"
#include "faces/mpi/control_word.hpp"
#include "faces/mpi/two_sided_lock.hpp"
#include "faces/mpi/window_word.hpp"
#include "faces/mpi/writers.hpp"

namespace halocline::core::mpi {
namespace {

/// How long a rank is kept out by nothing but the other side's waiting. A holder may wait for this very rank.
constexpr std::uint64_t kPatience_ms = 20;

/// A word of locks among those of a rank, and a side of it.
struct LockName {
  std::int64_t offset;
  LockSide side;
};
// Of a target's lock: shared, exclusive. Of the window's, at rank 0: those that lock all, exclusive locks of any target.
constexpr LockName kShared{offsetof(TargetWords, lock), {0, false}}, kExclusive{offsetof(TargetWords, lock), {1, true}};
constexpr LockName kLockAll{offsetof(TargetWords, all), {0, false}}, kAnyExclusive{offsetof(TargetWords, all), {1, false}};

/// A lock of the window, and the side by which this rank takes it.
struct Lock {
  Window &window;
  WindowWord word;
  LockTaking<WindowWord> taking;

  Lock(Window &of, int rank, const LockName &name) : window(of), word(of, rank, name.offset), taking(word, name.side) {}
};

/// In its turn, or once it has waited for that long enough.
Status wait_for(const Lock &lock) {
  const LockTaking<WindowWord> &taking = lock.taking;
  bool counted = false;
  HLC_TRY(taking.announce(&counted));
  BackOff back_off(lock.word);
  const auto look = [&](Turn turn) { return back_off.is_due() ? taking.try_again(turn, counted) : Status::again; };
  Status taken = lock.window.await_ok([&] { return look(Turn::in_turn); }, kPatience_ms);
  if (taken == Status::again) taken = lock.window.await_ok([&] { return look(Turn::any); });
  FirstFailure failure(taken);
  if (failure.none()) return taken;
  failure.note(taking.withdraw(counted));
  return failure.status();
}

[[gnu::noinline]] Status take_slowly(Window &window, int rank, const LockName &name) {
  const Lock lock(window, rank, name);
  const Status taken = lock.taking.try_first();
  return taken == Status::again ? wait_for(lock) : taken;
}

/// Ranks of other nodes that wait look by themselves.
[[gnu::noinline]] Status give_back_slowly(Window &window, int rank, const LockName &name) {
  bool wakes = false;
  HLC_TRY(Lock(window, rank, name).taking.give_back(&wakes));
  if (wakes) window.node->context.ring_node();
  return Status::ok;
}

/// The lock where all ranks are on one node: no choice of a path, and few instructions.
template <LockName name>
LockTaking<WordHere> taking_here(const Window &window, int rank) {
  return {WordHere(*window.memory.word_here(rank, name.offset)), name.side};
}

template <LockName name>
Status take(Window &window, int rank) {
  if (!window.node->spans_nodes() && taking_here<name>(window, rank).try_first() == Status::ok) return Status::ok;
  return take_slowly(window, rank, name);
}

template <LockName name>
Status give_back(Window &window, int rank) {
  if (window.node->spans_nodes()) return give_back_slowly(window, rank, name);
  bool wakes = false;
  HLC_TRY(taking_here<name>(window, rank).give_back(&wakes));
  if (wakes) window.node->context.ring_node();
  return Status::ok;
}

/// What is left of an exclusive lock that could not be had.
Status leave_exclusive(Window &window, int target, Status why, bool has_any) {
  FirstFailure failure(why);
  if (has_any) failure.note(give_back<kAnyExclusive>(window, 0));
  failure.note(leave_queue(window, target));
  return failure.status();
}

WindowWord word_of_accumulates(Window &window, int target) { return {window, target, offsetof(TargetWords, accumulates)}; }

Status lock_accumulates_of_nodes(Window &window, int target) {
  const WindowWord word = word_of_accumulates(window, target);
  BackOff back_off(word);
  return window.await_ok([&] {
    std::uint64_t seen = 0;
    // SYNC accumulated-before-next (pairs with unlock_accumulates_of_nodes)
    return back_off.is_due() ? word.swap(&seen, 1, std::memory_order_acquire) : Status::again;
  });
}

Status unlock_accumulates_of_nodes(Window &window, int target) {
  // SYNC accumulated-before-next (pairs with lock_accumulates_of_nodes)
  HLC_TRY(word_of_accumulates(window, target).add(~std::uint64_t{0}, std::memory_order_release));
  return WindowWord::leave(window);
}

}  // namespace

Status lock_shared(Window &window, int target) { return take<kShared>(window, target); }

/// First ranks that lock all are kept out, then the others of this target. If the rest fails, nothing stays taken.
Status lock_exclusive(Window &window, int target) {
  HLC_TRY(enter_queue(window, target));
  const Status any = take<kAnyExclusive>(window, 0);
  const Status taken = any == Status::ok ? take<kExclusive>(window, target) : any;
  return taken == Status::ok ? taken : leave_exclusive(window, target, taken, any == Status::ok);
}

Status lock_all(Window &window) { return take<kLockAll>(window, 0); }

Status unlock_shared(Window &window, int target) { return give_back<kShared>(window, target); }

Status unlock_exclusive(Window &window, int target) {
  const Status given = give_back<kExclusive>(window, target), any = give_back<kAnyExclusive>(window, 0);
  const Status left = leave_queue(window, target);
  if (given != Status::ok) return given;
  return any == Status::ok ? left : any;
}

Status unlock_all(Window &window) { return give_back<kLockAll>(window, 0); }

Status wait_for_accumulates(Window &window, int target) {
  if (window.node->spans_nodes()) return lock_accumulates_of_nodes(window, target);
  TargetWords &words = window.memory.words(target);
  words.accumulates_waiting.fetch_add(1, std::memory_order_seq_cst);
  const Status taken = window.await([&] { return try_accumulates(words); });
  words.accumulates_waiting.fetch_sub(1, std::memory_order_relaxed);
  return taken;
}

Status unlock_accumulates_slowly(Window &window, int target) {
  if (window.node->spans_nodes()) return unlock_accumulates_of_nodes(window, target);
  window.node->context.ring_node();
  return Status::ok;
}

}  // namespace halocline::core::mpi
