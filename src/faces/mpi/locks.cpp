// A rank that finds a lock taken counts itself among those of its side that wait, and sleeps until an unlock rings. How the word of a lock
// changes is in two_sided_lock.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/locks.hpp"

#include "faces/mpi/far_sync.hpp"

namespace halocline::core::mpi {
namespace {

/// How long a rank is kept out by nothing but the other side's waiting. A holder may wait for this very rank.
constexpr std::uint64_t kPatience_ms = 20;
// SYNC accumulated-before-next (pairs with itself): acquire and release. Sequentially consistent, so that of an unlock that looks for waiting
// ranks and a rank that begins to wait one sees the other.
constexpr std::memory_order kAccumulateOrder = std::memory_order_seq_cst;

// Of a target's lock: shared, exclusive. Of the window's: those that lock all, exclusive locks of any target.
constexpr LockSide kShared{0, false}, kExclusive{1, true};
constexpr LockSide kAll{0, false}, kAnyExclusive{1, false};

using Taking = LockTaking<WordHere>;

Taking of_target(Window &window, int target, const LockSide &side) { return {WordHere(window.memory.words(target).lock.word), side}; }
Taking of_window(Window &window, const LockSide &side) { return {WordHere(window.memory.words(0).all.word), side}; }

/// In its turn, or once it has waited for that long enough.
Status wait_for(Window &window, const Taking &taking) {
  bool counted = false;
  HLC_TRY(taking.announce(&counted));
  Status taken = window.await_ok([&] { return taking.try_again(Turn::in_turn, counted); }, kPatience_ms);
  if (taken == Status::again) taken = window.await_ok([&] { return taking.try_again(Turn::any, counted); });
  if (failed(taken)) HLC_TRY(taking.withdraw(counted));
  return taken;
}

Status take(Window &window, const Taking &taking) {
  const Status taken = taking.try_first();
  return taken == Status::again ? wait_for(window, taking) : taken;
}

Status give_back(Window &window, const Taking &taking) {
  bool wakes = false;
  HLC_TRY(taking.give_back(&wakes));
  if (wakes) window.node->context.ring_node();
  return Status::ok;
}

}  // namespace

Status lock_shared(Window &window, int target) {
  if (window.node->spans_nodes()) return far::lock_shared(window, target);
  return take(window, of_target(window, target, kShared));
}

/// First ranks that lock all are kept out, then the others of this target.
Status lock_exclusive(Window &window, int target) {
  if (window.node->spans_nodes()) return far::lock_exclusive(window, target);
  HLC_TRY(take(window, of_window(window, kAnyExclusive)));
  return take(window, of_target(window, target, kExclusive));
}

Status lock_all(Window &window) {
  if (window.node->spans_nodes()) return far::lock_all(window);
  return take(window, of_window(window, kAll));
}

Status unlock_shared(Window &window, int target) {
  if (window.node->spans_nodes()) return far::unlock_shared(window, target);
  return give_back(window, of_target(window, target, kShared));
}

Status unlock_exclusive(Window &window, int target) {
  if (window.node->spans_nodes()) return far::unlock_exclusive(window, target);
  HLC_TRY(give_back(window, of_target(window, target, kExclusive)));
  return give_back(window, of_window(window, kAnyExclusive));
}

Status unlock_all(Window &window) {
  if (window.node->spans_nodes()) return far::unlock_all(window);
  return give_back(window, of_window(window, kAll));
}

Status lock_accumulates(Window &window, int target) {
  if (window.node->spans_nodes()) return far::lock_accumulates(window, target);
  TargetWords &words = window.memory.words(target);
  const auto take = [&] { return words.accumulates.exchange(1, kAccumulateOrder) == 0; };
  if (take()) return Status::ok;
  words.accumulates_waiting.fetch_add(1, kAccumulateOrder);
  const Status taken = window.await(take);
  words.accumulates_waiting.fetch_sub(1, kAccumulateOrder);
  return taken;
}

Status unlock_accumulates(Window &window, int target) {
  if (window.node->spans_nodes()) return far::unlock_accumulates(window, target);
  TargetWords &words = window.memory.words(target);
  words.accumulates.exchange(0, kAccumulateOrder);
  if (words.accumulates_waiting.load(kAccumulateOrder) > 0) window.node->context.ring_node();
  return Status::ok;
}

}  // namespace halocline::core::mpi
