// A rank that finds a lock taken withdraws what it has added, counts itself among those that wait, and sleeps until an unlock rings.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/locks.hpp"

namespace halocline::core::mpi {
namespace {

constexpr std::uint64_t kExclusive = std::uint64_t{1} << 63;
constexpr std::uint64_t kOneExclusive = std::uint64_t{1} << 32, kLocksAll = kOneExclusive - 1;
// SYNC window-unlocked-before-locked (pairs with itself): acquire and release. Sequentially consistent, so that of an unlock that looks for
// waiting ranks and a rank that begins to wait one sees the other.
constexpr std::memory_order kLockOrder = std::memory_order_seq_cst;

using LockWord = std::atomic<std::uint64_t>;
using Waiting = std::atomic<std::uint32_t>;

void wake_waiting(Window &window, const Waiting &waiting) {
  if (waiting.load(kLockOrder) > 0) window.node->context.ring_node();
}

/// Waits until `take` has taken the lock.
template <class Take>
Status take_lock(Window &window, Waiting &waiting, Take take) {
  if (take()) return Status::ok;
  waiting.fetch_add(1, kLockOrder);
  const Status taken = window.await(take);
  waiting.fetch_sub(1, kLockOrder);
  return taken;
}

/// A word that counts, and how many ranks wait for it.
struct Count {
  LockWord &word;
  Waiting &waiting;
};

/// Adds to a word if none of the bits `against` is set. What is added too late is taken back; ranks that have seen it meanwhile look again.
bool add_unless(Window &window, const Count &count, std::uint64_t add, std::uint64_t against) {
  if (count.word.load(kLockOrder) & against) return false;
  if (!(count.word.fetch_add(add, kLockOrder) & against)) return true;
  count.word.fetch_sub(add, kLockOrder);
  wake_waiting(window, count.waiting);
  return false;
}

/// Waits until that succeeds.
Status add_once(Window &window, const Count &count, std::uint64_t add, std::uint64_t against) {
  return take_lock(window, count.waiting, [&] { return add_unless(window, count, add, against); });
}

}  // namespace

Status lock_shared(Window &window, int target) {
  TargetWords &words = window.memory.words(target);
  return add_once(window, {words.lock, words.lock_waiting}, 1, kExclusive);
}

/// First ranks that lock all are kept out, then the others of this target.
Status lock_exclusive(Window &window, int target) {
  TargetWords &words = window.memory.words(target), &first = window.memory.words(0);
  HLC_TRY(add_once(window, {first.all, first.all_waiting}, kOneExclusive, kLocksAll));
  return take_lock(window, words.lock_waiting, [&] {
    std::uint64_t free = 0;
    return words.lock.compare_exchange_strong(free, kExclusive, kLockOrder);
  });
}

Status lock_all(Window &window) {
  TargetWords &first = window.memory.words(0);
  return add_once(window, {first.all, first.all_waiting}, 1, ~kLocksAll);
}

void unlock_shared(Window &window, int target) {
  TargetWords &words = window.memory.words(target);
  words.lock.fetch_sub(1, kLockOrder);
  wake_waiting(window, words.lock_waiting);
}

void unlock_exclusive(Window &window, int target) {
  TargetWords &words = window.memory.words(target), &first = window.memory.words(0);
  words.lock.fetch_and(~kExclusive, kLockOrder);
  wake_waiting(window, words.lock_waiting);
  first.all.fetch_sub(kOneExclusive, kLockOrder);
  wake_waiting(window, first.all_waiting);
}

void unlock_all(Window &window) {
  TargetWords &first = window.memory.words(0);
  first.all.fetch_sub(1, kLockOrder);
  wake_waiting(window, first.all_waiting);
}

Status lock_accumulates(Window &window, int target) {
  TargetWords &words = window.memory.words(target);
  return take_lock(window, words.accumulates_waiting, [&] { return words.accumulates.exchange(1, kLockOrder) == 0; });
}

void unlock_accumulates(Window &window, int target) {
  TargetWords &words = window.memory.words(target);
  words.accumulates.exchange(0, kLockOrder);
  wake_waiting(window, words.accumulates_waiting);
}

}  // namespace halocline::core::mpi
