// A rank that finds a lock taken counts itself among those of its side that wait, and sleeps until an unlock rings. How the word of a lock
// changes is in two_sided_lock.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/locks.hpp"

#include <cstddef>

#include "base/first_failure.hpp"
#include "faces/mpi/two_sided_lock.hpp"
#include "faces/mpi/window_word.hpp"
#include "faces/mpi/writers.hpp"

namespace halocline::core::mpi {
namespace {

/// How long a rank is kept out by nothing but the other side's waiting. A holder may wait for this very rank.
constexpr std::uint64_t kPatience_ms = 20;
// SYNC accumulated-before-next (pairs with itself): acquire and release. Sequentially consistent, so that of an unlock that looks for waiting
// ranks and a rank that begins to wait one sees the other.
constexpr std::memory_order kAccumulateOrder = std::memory_order_seq_cst;

// Of a target's lock: shared, exclusive. Of the window's: those that lock all, exclusive locks of any target.
constexpr LockSide kShared{0, false}, kExclusive{1, true};
constexpr LockSide kAllTargetsShared{0, false}, kAnyExclusive{1, false};

/// A lock of the window, and the side by which this rank takes it.
struct Lock {
  Window &window;
  WindowWord word;
  LockTaking<WindowWord> taking;

  Lock(Window &of, int rank, std::int64_t offset, const LockSide &side) : window(of), word(of, rank, offset), taking(word, side) {}
};

Lock of_target(Window &window, int target, const LockSide &side) { return {window, target, offsetof(TargetWords, lock), side}; }
Lock of_window(Window &window, const LockSide &side) { return {window, 0, offsetof(TargetWords, all), side}; }

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

Status take(const Lock &lock) {
  const Status taken = lock.taking.try_first();
  return taken == Status::again ? wait_for(lock) : taken;
}

/// Ranks of other nodes that wait look by themselves.
Status give_back(const Lock &lock) {
  bool wakes = false;
  HLC_TRY(lock.taking.give_back(&wakes));
  if (wakes) lock.window.node->context.ring_node();
  return Status::ok;
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

Status lock_shared(Window &window, int target) { return take(of_target(window, target, kShared)); }

/// First ranks that lock all are kept out, then the others of this target. If the rest fails, nothing stays taken.
Status lock_exclusive(Window &window, int target) {
  HLC_TRY(enter_queue(window, target));
  FirstFailure failure(take(of_window(window, kAnyExclusive)));
  if (failure.none()) {
    failure.note(take(of_target(window, target, kExclusive)));
    if (!failure.none()) failure.note(give_back(of_window(window, kAnyExclusive)));
  }
  if (!failure.none()) failure.note(leave_queue(window, target));
  return failure.status();
}

Status lock_all(Window &window) { return take(of_window(window, kAllTargetsShared)); }

Status unlock_shared(Window &window, int target) { return give_back(of_target(window, target, kShared)); }

Status unlock_exclusive(Window &window, int target) {
  FirstFailure failure(give_back(of_target(window, target, kExclusive)));
  failure.note(give_back(of_window(window, kAnyExclusive)));
  failure.note(leave_queue(window, target));
  return failure.status();
}

Status unlock_all(Window &window) { return give_back(of_window(window, kAllTargetsShared)); }

Status lock_accumulates(Window &window, int target) {
  if (window.node->spans_nodes()) return lock_accumulates_of_nodes(window, target);
  TargetWords &words = window.memory.words(target);
  const auto take = [&] { return words.accumulates.exchange(1, kAccumulateOrder) == 0; };
  if (take()) return Status::ok;
  words.accumulates_waiting.fetch_add(1, kAccumulateOrder);
  const Status taken = window.await(take);
  words.accumulates_waiting.fetch_sub(1, kAccumulateOrder);
  return taken;
}

Status unlock_accumulates(Window &window, int target) {
  if (window.node->spans_nodes()) return unlock_accumulates_of_nodes(window, target);
  TargetWords &words = window.memory.words(target);
  words.accumulates.exchange(0, kAccumulateOrder);
  if (words.accumulates_waiting.load(kAccumulateOrder) > 0) window.node->context.ring_node();
  return Status::ok;
}

}  // namespace halocline::core::mpi
