// A lock of two sides, which keep each other out and take turns. Its state is one word, so each step is one atomic operation, on a word of
// this node as on one of another. locks.cpp waits for it; tests/models/window_lock.pml proves it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace halocline::core::mpi {

/// The fields of the word: how many ranks of each side hold the lock, how many wait, and which side is next.
///
///   | alone, bit 63 | turn, bit 62 | waiters of side 1, of side 0, 8 bits each | holders of side 1, of side 0, 23 bits each |
///
/// alone: of the window's word, exclusive locks take targets alone.
struct LockFields {
  static constexpr int kHolderBits = 23, kWaiterBits = 8, kTurnBit = 2 * (kHolderBits + kWaiterBits);
  static constexpr std::uint64_t one_holder(int side) { return std::uint64_t{1} << (side * kHolderBits); }
  static constexpr std::uint64_t holders(int side) { return ((std::uint64_t{1} << kHolderBits) - 1) << (side * kHolderBits); }
  static constexpr std::uint64_t one_waiter(int side) { return std::uint64_t{1} << (2 * kHolderBits + side * kWaiterBits); }
  static constexpr std::uint64_t waiters(int side) { return one_waiter(side) * ((std::uint64_t{1} << kWaiterBits) - 1); }
  static constexpr std::uint64_t kAlone = std::uint64_t{1} << (kTurnBit + 1);
  /// No rank holds it, and some wait.
  static constexpr bool is_free_for_waiters(std::uint64_t word) {
    return (word & (holders(0) | holders(1))) == 0 && (word & (waiters(0) | waiters(1))) != 0;
  }
  static constexpr int turn(std::uint64_t word) { return static_cast<int>(word >> kTurnBit & 1); }
  static constexpr std::uint64_t with_turn(std::uint64_t word, int side) {
    return (word & ~(std::uint64_t{1} << kTurnBit)) | static_cast<std::uint64_t>(side) << kTurnBit;
  }
};

/// A side of a lock, and whether its ranks keep each other out as well.
struct LockSide {
  int number;
  bool one_at_a_time;

  constexpr int other() const { return 1 - number; }
  constexpr std::uint64_t against() const {
    return LockFields::holders(other()) | (one_at_a_time ? LockFields::holders(number) : std::uint64_t{0});
  }
};

/// Takes a lock on this node that is free and that no rank waits for, by one atomic instruction. False: this rank does not have it.
template <LockSide kSide>
[[gnu::always_inline]] inline bool take_unawaited(std::atomic<std::uint64_t> &word) {
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  if (seen & (kSide.against() | LockFields::waiters(0) | LockFields::waiters(1))) return false;
  // SYNC window-unlocked-before-locked (pairs with LockTaking::give_back). Not an acquire alone: taken-before-look.
  return word.compare_exchange_strong(seen, seen + LockFields::one_holder(kSide.number), std::memory_order_seq_cst,
                                      std::memory_order_relaxed);
}
/// Releases such a lock, unless a rank waits for it.
template <LockSide kSide>
[[gnu::always_inline]] inline bool give_back_unawaited(std::atomic<std::uint64_t> &word) {
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  if (seen & (LockFields::waiters(0) | LockFields::waiters(1))) return false;
  // SYNC window-unlocked-before-locked (pairs with LockTaking::take). Not a release alone: then this rank looks whether others lock all.
  return word.compare_exchange_strong(seen, seen - LockFields::one_holder(kSide.number), std::memory_order_seq_cst,
                                      std::memory_order_relaxed);
}

/// In a window of one node an exclusive lock takes the target's word alone, where it may. Once it has that, it looks at the window's word, `all`.
/// True if no rank locks all, or waits for that; those that will do so look at the target.
inline bool needs_target_alone(const std::atomic<std::uint64_t> &all) {
  // SYNC taken-before-look (pairs with is_exclusive)
  const std::uint64_t seen = all.load(std::memory_order_seq_cst);
  return (seen & (LockFields::holders(0) | LockFields::waiters(0) | LockFields::kAlone)) == LockFields::kAlone;
}
/// Whether a target is locked exclusively, for a rank that has locked all.
inline bool is_exclusive(const std::atomic<std::uint64_t> &target) {
  // SYNC taken-before-look (pairs with needs_target_alone)
  return (target.load(std::memory_order_seq_cst) & LockFields::holders(1)) != 0;
}
/// Exclusive locks may take targets alone from now on. By a rank that keeps out those that lock all.
inline void let_targets_be_alone(std::atomic<std::uint64_t> &all) { all.fetch_or(LockFields::kAlone, std::memory_order_relaxed); }
/// Whether they may.
inline bool has_targets_alone(const std::atomic<std::uint64_t> &all) {
  return (all.load(std::memory_order_relaxed) & LockFields::kAlone) != 0;
}

/// When a rank may take a lock that is free for its side. in_turn: not while the other side waits and is next.
enum class Turn { in_turn, any };

/// How a rank takes and releases a lock. word_concept.hpp says what a `Word` is. It remembers the word as it was seen last.
/// On another node a swap begins with that guess, and a right one saves a round trip.
template <class Word>
class LockTaking {
 public:
  LockTaking(Word word, const LockSide &side, std::uint64_t seen = 0) : word_(word), side_(side), seen_(seen) {}

  std::uint64_t seen() const { return seen_; }
  /// The word once this rank has taken the lock.
  std::uint64_t taken() const { return as_taken(seen_, 0); }

  /// Returns `again` if the lock is held by those that keep this side out, or the other side is next. Does not wait.
  Status try_first() {
    HLC_TRY(word_.look(seen_, &seen_));
    return take(Turn::in_turn, 0);
  }
  /// The same for a rank that waits; `counted` as announce returned it. The guess is that no rank holds the lock against it any more.
  Status try_again(Turn turn, bool counted) {
    HLC_TRY(word_.look(seen_ & ~side_.against(), &seen_));
    if (word_.is_far() && !may_take(seen_, turn)) HLC_TRY(word_.load(&seen_));
    return take(turn, counted ? LockFields::one_waiter(side_.number) : 0);
  }

  /// Counts this rank among those of its side that wait. Beyond 255 of them one is not counted: no unlock wakes it, it looks now and then.
  Status announce(bool *counted) {
    HLC_TRY(word_.look(seen_, &seen_));
    const std::uint64_t full = LockFields::waiters(side_.number);
    Status done = Status::again;
    while (done == Status::again && (seen_ & full) != full) {
      const std::uint64_t announced = seen_ + LockFields::one_waiter(side_.number);
      done = word_.swap(&seen_, announced, std::memory_order_relaxed);
      if (done == Status::ok) seen_ = announced;
    }
    *counted = done == Status::ok;
    return failed(done) ? done : Status::ok;
  }
  /// For a rank whose wait has failed.
  Status withdraw(bool counted) const {
    std::uint64_t seen = 0;
    HLC_TRY(word_.load(&seen));
    Status done = counted ? Status::again : Status::ok;
    while (done == Status::again) done = word_.swap(&seen, seen - LockFields::one_waiter(side_.number), std::memory_order_relaxed);
    return done;
  }

  /// Those of the other side that wait are next. `wakes`: ranks wait for it. On another node it waits for nothing, and wakes no rank. A rank that
  /// takes the lock there gives the turn to the other side at once.
  Status give_back(bool *wakes) const {
    // SYNC window-unlocked-before-locked (pairs with LockTaking::take)
    if (word_.is_far()) return word_.add(~LockFields::one_holder(side_.number) + 1, std::memory_order_release);
    std::uint64_t seen = 0;
    HLC_TRY(word_.look(LockFields::one_holder(side_.number), &seen));
    Status done = Status::again;
    while (done == Status::again) {
      *wakes = (seen & (LockFields::waiters(0) | LockFields::waiters(1))) != 0;
      const std::uint64_t rest = seen - LockFields::one_holder(side_.number);
      // SYNC window-unlocked-before-locked (pairs with LockTaking::take). Not a release alone: then this
      // rank looks whether others lock all, which may wait for it.
      done = word_.swap(&seen, with_turn_of_waiters(rest), std::memory_order_seq_cst);
    }
    return done;
  }

 private:
  bool may_take(std::uint64_t seen, Turn turn) const {
    if (seen & side_.against()) return false;
    return turn == Turn::any || !(seen & LockFields::waiters(side_.other())) || LockFields::turn(seen) == side_.number;
  }
  Status take(Turn turn, std::uint64_t waiter) {
    Status done = Status::again;
    // SYNC window-unlocked-before-locked (pairs with LockTaking::give_back). Not an acquire alone: taken-before-look.
    while (done == Status::again && may_take(seen_, turn)) done = word_.swap(&seen_, as_taken(seen_, waiter), std::memory_order_seq_cst);
    return done;
  }
  std::uint64_t as_taken(std::uint64_t seen, std::uint64_t waiter) const {
    const std::uint64_t taken = seen + LockFields::one_holder(side_.number) - waiter;
    return word_.is_far() ? with_turn_of_waiters(taken) : taken;
  }
  /// The other side is next if it waits.
  std::uint64_t with_turn_of_waiters(std::uint64_t word) const {
    return word & LockFields::waiters(side_.other()) ? LockFields::with_turn(word, side_.other()) : word;
  }

  Word word_;
  LockSide side_;
  std::uint64_t seen_;
};

}  // namespace halocline::core::mpi
