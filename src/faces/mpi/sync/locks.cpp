// A rank that finds a lock taken counts itself among those of its side that wait, and sleeps until an unlock rings. How the word of a lock
// changes is in group_lock.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/sync/locks.hpp"

#include <cstddef>

#include "base/first_failure.hpp"
#include "faces/mpi/sync/group_lock.hpp"
#include "faces/mpi/sync/mcs_lock.hpp"
#include "faces/mpi/sync/remote_word.hpp"

namespace halocline::core::mpi {
namespace {

/// How long waiting ranks of the other side can keep a rank out, and how long a waiting lock_all can keep out others. A holder may itself wait
/// for this rank.
constexpr std::uint64_t kPatience_ms = 20;
/// One in kUnlocksPerTurn unlocks that find waiting ranks waits until one of them has the lock, at most kLongestTurn_ms: longer than the
/// interval between two polls of a rank of another node (BackOff).
constexpr unsigned kUnlocksPerTurn = 16;
constexpr std::uint64_t kLongestTurn_ms = 3;

// Of the window's lock: those that lock all, exclusive locks of any target.
constexpr LockSide kLockAll{0, false}, kAnyExclusive{1, false};

/// A lock of the window, at a rank, and the side by which this rank takes it. What is not in line gets a copy, so that the compiler knows the
/// side where it is.
struct Lock {
  Window &window;
  int rank;
  std::int64_t offset;
  LockSide side;

  /// In a window of one node its word is here, and needs few instructions.
  bool is_here() const { return !window.comm->spans_nodes(); }
  [[gnu::always_inline]] LockTaking<WordHere> here() const { return {WordHere(*window.memory.word_here(rank, offset)), side}; }
  WindowWord word() const { return {window, rank, offset}; }
  LockTaking<WindowWord> anywhere(std::uint64_t seen = 0) const { return {word(), side, seen}; }
};

[[gnu::always_inline]] inline Lock of_target(Window &window, int target, const LockSide &side) {
  return {window, target, offsetof(TargetWords, lock), side};
}
[[gnu::always_inline]] inline Lock of_window(Window &window, const LockSide &side) { return {window, 0, offsetof(TargetWords, all), side}; }

/// Takes the lock in its turn, or out of turn after kPatience_ms. `seen`: the last value of the word.
[[gnu::noinline]] Status wait_for(Lock lock, std::uint64_t seen = 0) {
  LockTaking<WindowWord> taking = lock.anywhere(seen);
  bool counted = false;
  HLC_TRY(taking.announce(&counted));
  BackOff back_off(lock.word());
  const auto look = [&](Turn turn) { return back_off.is_due() ? taking.try_again(turn, counted) : Status::again; };
  Status taken = lock.window.await_ok([&] { return look(Turn::in_turn); }, kPatience_ms);
  if (taken == Status::again) taken = lock.window.await_ok([&] { return look(Turn::any); });
  FirstFailure failure(taken);
  if (failure.none()) return taken;
  failure.note(taking.withdraw(counted));
  return failure.status();
}

[[gnu::noinline]] Status take_of_nodes(Lock lock, std::uint64_t seen = 0) {
  LockTaking<WindowWord> taking = lock.anywhere(seen);
  const Status taken = taking.try_first();
  return taken == Status::again ? wait_for(lock, taking.seen()) : taken;
}

[[gnu::always_inline]] inline Status take(const Lock &lock) {
  if (!lock.is_here()) return take_of_nodes(lock);
  const Status taken = lock.here().try_first();
  return taken == Status::again ? wait_for(lock) : taken;
}

/// Waiting ranks of other nodes poll the word, and get replies when the owner of the word drives progress. This rank may be about to take the
/// lock again, and then drives progress only while it holds the lock. So it polls now, and now and then waits until another rank has the lock.
Status let_waiters_in(const Lock &lock) {
  CommContext &comm = *lock.window.comm;
  comm.context.ring_node();
  comm.context.network().poll();
  if (comm.contended_unlocks.next() % kUnlocksPerTurn != 0) return Status::ok;
  const auto has_changed = [&] {
    std::uint64_t seen = 0;
    HLC_TRY(lock.word().load(&seen));
    return LockFields::is_free_for_waiters(seen) ? Status::again : Status::ok;
  };
  const Status changed = lock.window.await_ok(has_changed, kLongestTurn_ms);
  return failed(changed) ? changed : Status::ok;
}

[[gnu::noinline]] Status give_back_of_nodes(Lock lock) {
  bool wakes = false;
  HLC_TRY(lock.anywhere().give_back(&wakes));
  if (lock.word().is_far()) return WindowWord::leave(lock.window);
  return wakes ? let_waiters_in(lock) : Status::ok;
}

[[gnu::always_inline]] inline Status give_back(const Lock &lock) {
  if (!lock.is_here()) return give_back_of_nodes(lock);
  bool wakes = false;
  HLC_TRY(lock.here().give_back(&wakes));
  if (wakes) lock.window.comm->context.ring_node();
  return Status::ok;
}

std::atomic<std::uint64_t> &word_of_all(Window &window) { return window.memory.words(0).all.word; }

/// After the unlock of a target, on one node: ranks in lock_all may wait for it.
[[gnu::always_inline]] inline Status wake_those_of_all(Window &window) {
  if (!needs_target_alone(word_of_all(window))) window.comm->context.ring_node();
  return Status::ok;
}

/// Undoes the completed steps of lock_exclusive if a later step fails.
[[gnu::cold]] Status undo_exclusive(Window &window, int target, Status why, bool keeps_out_all) {
  FirstFailure failure(why);
  if (keeps_out_all) failure.note(give_back(of_window(window, kAnyExclusive)));
  failure.note(leave_queue(window, target));
  return failure.status();
}

/// A lock that this rank is about to take with another one.
struct OneOfTwo {
  Lock lock;
  std::uint64_t seen = 0;
  Status taken = Status::again;

  Status take() {
    if (taken == Status::again) taken = lock.is_here() ? mpi::take(lock) : take_of_nodes(lock, seen);
    return taken;
  }
};

/// Both in one round trip, if both words are on other nodes and free. The second is not kept without the first.
Status try_both(OneOfTwo &first, OneOfTwo &second) {
  const WindowWord words[] = {first.lock.word(), second.lock.word()};
  if (!words[0].is_far() || !words[1].is_far()) return Status::ok;
  const std::uint64_t wanted[] = {first.lock.anywhere().taken(), second.lock.anywhere().taken()};
  WindowWord::Swap swaps[] = {{words[0], &first.seen, wanted[0]}, {words[1], &second.seen, wanted[1]}};
  // SYNC window-unlocked-before-locked (pairs with LockTaking::give_back)
  WindowWord::swap_both(swaps);
  first.taken = swaps[0].done, second.taken = swaps[1].done;
  if (first.taken == Status::ok || second.taken != Status::ok) return Status::ok;
  second.taken = Status::again;
  return give_back_of_nodes(second.lock);
}

/// First blocks ranks that lock all, then other ranks of this target. If a later step fails, the earlier ones are undone.
Status lock_both(Window &window, int target) {
  OneOfTwo all{of_window(window, kAnyExclusive)}, one{of_target(window, target, kExclusive)};
  FirstFailure failure(try_both(all, one));
  if (failure.none()) failure.note(all.take());
  if (failure.none()) failure.note(one.take());
  if (failure.none()) return Status::ok;
  return undo_exclusive(window, target, failure.status(), all.taken == Status::ok);
}

/// Back off: release the target lock so that lock_all waiters proceed, then reacquire it.
[[gnu::noinline]] Status retreat(Window &window, int target) {
  HLC_TRY(give_back(of_target(window, target, kExclusive)));
  HLC_TRY(wake_those_of_all(window));
  HLC_TRY(lock_both(window, target));
  if (!has_targets_alone(word_of_all(window))) let_targets_be_alone(word_of_all(window));
  return give_back(of_window(window, kAnyExclusive));
}

/// For a rank that holds lock_all, which blocks new exclusive locks: waits until each target was free once. `again` after kPatience_ms.
Status await_targets(Window &window) {
  int target = 0;
  const auto look = [&] {
    while (target < window.size() && !is_exclusive(window.memory.words(target).lock.word)) ++target;
    return target == window.size();
  };
  return window.await(look, kPatience_ms);
}

/// Releases the lock again if lock_all fails.
[[gnu::cold]] Status undo_all(Window &window, Status why) {
  FirstFailure failure(why);
  failure.note(give_back(of_window(window, kLockAll)));
  return failure.status();
}

/// The holder of a target may need another target first. So this rank releases its lock and takes it again now and then.
[[gnu::noinline]] Status await_targets_or_let_pass(Window &window) {
  Status free = await_targets(window);
  while (free == Status::again) {
    HLC_TRY(give_back(of_window(window, kLockAll)));
    HLC_TRY(window.find_lost());
    HLC_TRY(take(of_window(window, kLockAll)));
    free = await_targets(window);
  }
  return failed(free) ? undo_all(window, free) : Status::ok;
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

void give_up_exclusive(Window &window, int target) { static_cast<void>(complete_and_unlock(window, target, Hold::exclusive)); }

Status lock_shared(Window &window, int target) { return take(of_target(window, target, kShared)); }

Status lock_exclusive(Window &window, int target) {
  if (window.writer_places.queues()) HLC_TRY(enter_queue(window, target));
  if (window.comm->spans_nodes()) return lock_both(window, target);
  const Status taken = take(of_target(window, target, kExclusive));
  if (failed(taken)) return undo_exclusive(window, target, taken, false);
  return needs_target_alone(word_of_all(window)) ? Status::ok : retreat(window, target);
}

Status lock_all(Window &window) {
  HLC_TRY(take(of_window(window, kLockAll)));
  if (window.comm->spans_nodes() || !has_targets_alone(word_of_all(window))) return Status::ok;
  return await_targets_or_let_pass(window);
}

/// To another node the release of the target follows the accesses that are under way. Only what was read has to be here before. The window's
/// word may be on a third rank.
int complete_and_unlock(Window &window, int target, Hold hold) {
  const bool follows = !window.comm->is_near(target) && window.comm->keeps_order();
  int code = follows ? window.end_reads(target) : window.complete_begun(target, Completion::remote);
  // SYNC put-before-message (pairs with do_as_asked)
  const Status given =
      hold == Hold::shared ? give_back(of_target(window, target, kShared)) : give_back(of_target(window, target, kExclusive));
  code = first_of(code, code_of(given));
  if (follows) code = first_of(code, window.complete_begun(target, Completion::remote));
  if (hold != Hold::exclusive) return code;
  const Status any = window.comm->spans_nodes() ? give_back(of_window(window, kAnyExclusive)) : wake_those_of_all(window);
  if (!failed(any) && !window.writer_places.queues()) return code;
  FirstFailure failure(any);
  failure.note(leave_queue(window, target));
  return first_of(code, code_of(failure.status()));
}

Status unlock_all(Window &window) { return give_back(of_window(window, kLockAll)); }

Status wait_for_accumulates(Window &window, int target) {
  if (window.comm->spans_nodes()) return lock_accumulates_of_nodes(window, target);
  TargetWords &words = window.memory.words(target);
  words.accumulates_waiting.fetch_add(1, std::memory_order_seq_cst);
  const Status taken = window.await([&] { return try_accumulates(words); });
  words.accumulates_waiting.fetch_sub(1, std::memory_order_relaxed);
  return taken;
}

Status unlock_accumulates_slowly(Window &window, int target) {
  if (window.comm->spans_nodes()) return unlock_accumulates_of_nodes(window, target);
  window.comm->context.ring_node();
  return Status::ok;
}

}  // namespace halocline::core::mpi
