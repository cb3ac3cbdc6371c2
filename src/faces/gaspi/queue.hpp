// A queue: how many requests were posted to it, and to which ranks of other nodes. What carries them knows no queues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "engine/context.hpp"
#include "faces/gaspi/plan.hpp"

namespace halocline::gaspi {

/// Any thread may call.
class Queue {
 public:
  std::atomic<bool> exists{false};

  unsigned size() const { return size_.load(std::memory_order_relaxed); }
  bool is_corrupt() const { return corrupt_.load(std::memory_order_relaxed); }
  /// Makes room for requests. GASPI_QUEUE_FULL, or GASPI_ERROR if the queue is corrupt.
  gaspi_return_t take(unsigned requests, unsigned most);
  /// One request to a rank has been begun, or has failed.
  gaspi_return_t posted(Status status, int rank, bool near);
  /// Looks whether what was posted is locally complete.
  Status look(Context &context);
  /// What was posted is not waited for any longer: the queue is corrupt. Returns the ranks that it waited for.
  std::vector<int> give_up();
  /// Forgets all of it.
  void purge();

 private:
  std::atomic<unsigned> size_{0};
  std::atomic<bool> corrupt_{false};
  std::mutex mutex_;  // of what follows
  std::vector<int> far_;
  std::vector<Drain> waited_for_;
};

}  // namespace halocline::gaspi
