// The epochs that a rank has open on a window: which targets it may access. For errors, and for what the closing calls must undo.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "faces/mpi/holds.hpp"

namespace halocline::core::mpi {

/// Operations of several threads may read it; the calls that open or close an epoch of one target are one thread's.
class Epochs {
 public:
  /// `several_threads`: MPI may be called by several at the same time.
  void open(bool several_threads) { several_threads_ = several_threads; }

  bool may_access(int target) const { return fence || locks_all != Hold::none || hold(target) != Hold::none; }
  bool is_locked(int target) const { return locks_all != Hold::none || (locks_one() && hold(target) >= Hold::shared); }
  bool locks_any() const { return locks_all != Hold::none || locks_one(); }
  Hold hold(int target) const { return holds_.of(target); }
  void set(int target, Hold hold) { holds_.set(target, hold, several_threads_); }
  /// The same for a target that is not held.
  void add(int target, Hold hold) { holds_.add(target, hold, several_threads_); }

  /// One lock of a single target more, or one less. An atomic addition takes as long as the lock itself.
  void count_lock(int change) {
    if (several_threads_)
      locks_.fetch_add(change, std::memory_order_relaxed);
    else
      locks_.store(locks_.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }

  bool fence = false;             // since a fence without MPI_MODE_NOSUCCEED
  Hold locks_all = Hold::none;    // none, shared or unchecked
  bool is_started = false, is_posted = false;
  std::vector<int> started, posted;  // the groups of MPI_Win_start and MPI_Win_post
  std::uint64_t awaited = 0;  // accesses of others that exposures of this rank have ended after

 private:
  bool locks_one() const { return locks_.load(std::memory_order_relaxed) > 0; }

  Holds holds_;
  std::atomic<int> locks_{0};  // of single targets
  bool several_threads_ = true;
};

}  // namespace halocline::core::mpi
