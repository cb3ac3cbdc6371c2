// A queue: a completion set that counts its requests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "engine/context/context.hpp"
#include "engine/rma/completion_set.hpp"
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
  void fill(unsigned requests) { filled_.fetch_add(requests, std::memory_order_release); }
  /// Notes that a request to a rank has begun, or has failed. One to a lost rank counts as posted, and gaspi_wait reports it. GASPI_TIMEOUT
  /// if it has to wait for what was sent before it.
  gaspi_return_t posted(Status status, int rank, bool near);
  /// Tests for local completion of what was posted. Fails while there are failures that report has not returned.
  Status look(Context &context);
  /// The first failure, of all requests to a rank that are known to have failed; the queue forgets it. Ok if there is none.
  Status report();
  /// Ranks to which a request has failed.
  std::vector<int> lost() { return requests_.failed_ranks(); }
  /// Forgets all that was posted.
  void purge();

 private:
  void empty(unsigned requests);

  std::atomic<unsigned> size_{0}, filled_{0};  // requests for which room was made; those of them that are posted
  std::mutex emptying_;  // of several threads that wait for the queue one removes what was posted
  CompletionSet requests_;
};

}  // namespace halocline::core::gaspi
