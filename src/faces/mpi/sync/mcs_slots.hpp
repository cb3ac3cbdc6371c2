// The places that this rank has in the queues for exclusive locks of a window (mcs_queue.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstring>

#include "base/environment.hpp"
#include "faces/mpi/sync/mcs_queue.hpp"

namespace halocline::core::mpi {

/// Several threads may use them, each for its own targets.
class WriterPlaces {
 public:
  /// Whether this rank queues.
  bool queues() const { return queues_; }
  /// Takes a free place for a target. Below 0 if none is free, or ranks do not queue.
  int claim(int target) {
    for (int place = 0; queues_ && place < QueuePlaces::kPlaces; ++place) {
      int free = 0;
      if (of(place).compare_exchange_strong(free, target + 1)) return place;
    }
    return -1;
  }
  /// The place that was taken for a target; below 0 if there is none.
  int find(int target) {
    for (int place = 0; queues_ && place < QueuePlaces::kPlaces; ++place)
      if (of(place).load() == target + 1) return place;
    return -1;
  }
  void free(int place) { of(place).store(0); }
  /// From now on the place is never free, and no target's.
  void retire(int place) { of(place).store(-1); }

 private:
  std::atomic<int> &of(int place) { return targets_[static_cast<std::size_t>(place)]; }

  bool queues_ = std::strcmp(environment("MPI_LOCK"), "mcs") == 0;
  std::array<std::atomic<int>, QueuePlaces::kPlaces> targets_{};  // counted from 1
};

}  // namespace halocline::core::mpi
