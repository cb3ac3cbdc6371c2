// A rank that finds a lock taken counts itself among those of its side that wait, and sleeps until an unlock rings. The sides of a lock take
// turns, so that neither starves.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/locks.hpp"

namespace halocline::core::mpi {
namespace {

constexpr std::uint64_t kOneUpper = std::uint64_t{1} << 32, kLowers = kOneUpper - 1, kUppers = ~kLowers;
/// How long a rank is kept out by nothing but the other side's waiting. A holder may wait for this very rank.
constexpr std::uint64_t kPatience_ms = 20;
// SYNC window-unlocked-before-locked (pairs with itself): acquire and release. Sequentially consistent, so that of an unlock that looks for
// waiting ranks and a rank that begins to wait one sees the other.
constexpr std::memory_order kLockOrder = std::memory_order_seq_cst;

/// A side of a lock: what a holder adds to the word, and which bits keep it out.
struct Side {
  std::uint64_t add, against;
  std::uint32_t number;
  std::uint32_t other() const { return 1 - number; }
};

// Of a target's lock, and of the window's.
constexpr Side kShared{1, kUppers, 0}, kExclusive{kOneUpper, kUppers | kLowers, 1};
constexpr Side kAll{1, kUppers, 0}, kAnyExclusive{kOneUpper, kLowers, 1};

/// A lock in shared memory, and the side by which this rank takes it.
struct Taking {
  Window &window;
  TwoSidedLock &lock;
  const Side &side;

  bool others_wait() const { return lock.waiting[side.other()].load(kLockOrder) > 0; }

  /// Unless it is held by those that keep this side out.
  bool take() const {
    std::uint64_t held = lock.held.load(kLockOrder);
    while (!(held & side.against))
      if (lock.held.compare_exchange_weak(held, held + side.add, kLockOrder)) return true;
    return false;
  }
  bool take_in_turn() const { return (!others_wait() || lock.turn.load(kLockOrder) == side.number) && take(); }

  Status wait() const {
    lock.waiting[side.number].fetch_add(1, kLockOrder);
    Status taken = window.await([this] { return take_in_turn(); }, kPatience_ms);
    if (taken == Status::again) taken = window.await([this] { return take(); });
    lock.waiting[side.number].fetch_sub(1, kLockOrder);
    return taken;
  }
  Status take_or_wait() const { return !others_wait() && take() ? Status::ok : wait(); }

  /// Those of the other side that wait are next.
  void give_back() const {
    if (others_wait()) lock.turn.store(side.other(), kLockOrder);
    lock.held.fetch_sub(side.add, kLockOrder);
    if (others_wait() || lock.waiting[side.number].load(kLockOrder) > 0) window.node->context.ring_node();
  }
};

Taking of_target(Window &window, int target, const Side &side) { return {window, window.memory.words(target).lock, side}; }
Taking of_window(Window &window, const Side &side) { return {window, window.memory.words(0).all, side}; }

}  // namespace

Status lock_shared(Window &window, int target) { return of_target(window, target, kShared).take_or_wait(); }

/// First ranks that lock all are kept out, then the others of this target.
Status lock_exclusive(Window &window, int target) {
  HLC_TRY(of_window(window, kAnyExclusive).take_or_wait());
  return of_target(window, target, kExclusive).take_or_wait();
}

Status lock_all(Window &window) { return of_window(window, kAll).take_or_wait(); }

void unlock_shared(Window &window, int target) { of_target(window, target, kShared).give_back(); }

void unlock_exclusive(Window &window, int target) {
  of_target(window, target, kExclusive).give_back();
  of_window(window, kAnyExclusive).give_back();
}

void unlock_all(Window &window) { of_window(window, kAll).give_back(); }

Status lock_accumulates(Window &window, int target) {
  TargetWords &words = window.memory.words(target);
  const auto take = [&] { return words.accumulates.exchange(1, kLockOrder) == 0; };
  if (take()) return Status::ok;
  words.accumulates_waiting.fetch_add(1, kLockOrder);
  const Status taken = window.await(take);
  words.accumulates_waiting.fetch_sub(1, kLockOrder);
  return taken;
}

void unlock_accumulates(Window &window, int target) {
  TargetWords &words = window.memory.words(target);
  words.accumulates.exchange(0, kLockOrder);
  if (words.accumulates_waiting.load(kLockOrder) > 0) window.node->context.ring_node();
}

}  // namespace halocline::core::mpi
