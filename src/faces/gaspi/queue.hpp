// A queue: how many requests were posted to it, and to which ranks of other nodes. RequestEngine knows no queues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "engine/context/context.hpp"
#include "faces/gaspi/plan.hpp"

namespace halocline::core::gaspi {

/// Any thread may call.
class Queue {
 public:
  std::atomic<bool> exists{false};

  unsigned size() const { return size_.load(std::memory_order_relaxed); }
  /// Makes room for requests. GASPI_QUEUE_FULL if there is not enough.
  gaspi_return_t take(unsigned requests, unsigned most);
  /// Releases the room of requests that are not posted.
  void release(unsigned requests) { size_.fetch_sub(requests, std::memory_order_relaxed); }
  /// Counts requests with room as posted: from now on look and purge remove them.
  void fill(unsigned requests) { filled_.fetch_add(requests, std::memory_order_relaxed); }
  /// Notes that a request to a rank has begun, or has failed. One to a lost rank counts as posted, and gaspi_wait reports it. GASPI_TIMEOUT
  /// if it has to wait for what was sent before it.
  gaspi_return_t posted(Status status, int rank, bool near);
  /// Tests for local completion of what was posted. A failure makes the queue corrupt: it fails from now on.
  Status look(Context &context);
  /// Ranks to which a request has failed.
  std::vector<int> lost();
  /// Forgets all that was posted.
  void purge();

 private:
  void fail_for(int rank);
  void empty(unsigned requests);

  std::atomic<unsigned> size_{0}, filled_{0};  // requests for which room was made; those of them that are posted
  std::atomic<bool> corrupt_{false};
  std::mutex mutex_;  // of what follows
  std::vector<int> far_, lost_;
  std::string why_;
  std::vector<Flush> waited_for_;
};

}  // namespace halocline::core::gaspi
