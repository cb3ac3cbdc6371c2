// The epochs that a rank has open on a window: which targets it may access. For errors, and for what the closing calls must undo.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "faces/mpi/window/held_locks.hpp"

namespace halocline::core::mpi {

/// Between two fences: no epoch, one without accesses of this rank so far, or one with some. Only the last needs a fence at its end.
enum class Fence : std::uint8_t { closed, open, used };

/// Operations of several threads may read it; the calls that open or close an epoch of one target are one thread's.
class Epochs {
 public:
  /// `several_threads`: MPI may be called by several at the same time.
  void open(bool several_threads) { several_threads_ = several_threads; }

  bool is_open(int target) const {
    return fence.load(std::memory_order_relaxed) != Fence::closed || locks_all != Hold::none || hold(target) != Hold::none;
  }
  /// The same before an access, which an epoch of fences notes.
  bool may_access(int target) const {
    const Fence now = fence.load(std::memory_order_relaxed);
    if (now == Fence::open) fence.store(Fence::used, std::memory_order_relaxed);
    return now != Fence::closed || locks_all != Hold::none || hold(target) != Hold::none;
  }
  bool is_locked(int target) const { return locks_all != Hold::none || locks_single(target); }
  bool locks_any() const { return locks_all != Hold::none || locks_.load(std::memory_order_relaxed) > 0; }
  Hold hold(int target) const { return holds_.of(target); }
  void set(int target, Hold hold) { holds_.set(target, hold, several_threads_); }
  /// Whether no other rank, and no other thread of this one, accesses the target while this call does.
  bool excludes_others(int target) const {
    return !several_threads_ && locks_.load(std::memory_order_relaxed) > 0 && hold(target) == Hold::exclusive;
  }

  /// After a target is locked that was not; `hold` says how.
  void add_lock(int target, Hold hold) {
    holds_.add(target, hold, several_threads_);
    count_locks(1);
  }
  void remove_lock(int target) {
    holds_.set(target, Hold::none, several_threads_);
    count_locks(-1);
  }

  mutable std::atomic<Fence> fence = Fence::closed;
  Hold locks_all = Hold::none;    // none, shared or unchecked
  bool is_started = false, is_posted = false;
  std::vector<int> started, posted;  // the groups of MPI_Win_start and MPI_Win_post
  std::uint64_t awaited = 0;  // accesses of others that exposures of this rank have ended after

 private:
  /// Where no target is locked, that needs no look at the slots.
  bool locks_single(int target) const { return locks_.load(std::memory_order_relaxed) > 0 && hold(target) >= Hold::shared; }
  /// An atomic addition takes as long as the lock itself.
  void count_locks(int change) {
    if (several_threads_)
      locks_.fetch_add(change, std::memory_order_relaxed);
    else
      locks_.store(locks_.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }

  std::atomic<int> locks_{0};  // of single targets
  Holds holds_;
  bool several_threads_ = true;
};

}  // namespace halocline::core::mpi
