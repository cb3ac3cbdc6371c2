// A queue: how many requests were posted to it, and to which ranks of other nodes. What carries them knows no queues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "engine/context/context.hpp"
#include "faces/gaspi/plan.hpp"

namespace halocline::gaspi {

/// Any thread may call.
class Queue {
 public:
  std::atomic<bool> exists{false};

  unsigned size() const { return size_.load(std::memory_order_relaxed); }
  /// Makes room for requests. GASPI_QUEUE_FULL.
  gaspi_return_t take(unsigned requests, unsigned most);
  /// PendingQueries for which there was room are not posted.
  void release(unsigned requests) { size_.fetch_sub(requests, std::memory_order_relaxed); }
  /// PendingQueries for which there was room are posted: from now on look and purge take them away.
  void fill(unsigned requests) { filled_.fetch_add(requests, std::memory_order_relaxed); }
  /// One request to a rank has been begun, or has failed; one to a rank that is lost counts as posted, and gaspi_wait says so. GASPI_TIMEOUT if
  /// it has to wait for what was sent before it.
  gaspi_return_t posted(Status status, int rank, bool near);
  /// Looks whether what was posted is locally complete. A failure makes the queue corrupt: it fails from now on.
  Status look(Context &context);
  /// Ranks to which something has failed.
  std::vector<int> lost();
  /// Forgets all of it.
  void purge();

 private:
  void fail_for(int rank);
  void empty(unsigned requests);

  std::atomic<unsigned> size_{0}, filled_{0};  // requests for which there is room made; those of them that are posted
  std::atomic<bool> corrupt_{false};
  std::mutex mutex_;  // of what follows
  std::vector<int> far_, lost_;
  std::string why_;
  std::vector<Flush> waited_for_;
};

}  // namespace halocline::gaspi
