// Counting requests, and waiting for those that a network carries.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/queue.hpp"

#include <algorithm>

#include "faces/gaspi/answer.hpp"

namespace halocline::core::gaspi {
gaspi_return_t Queue::take(unsigned requests, unsigned most) {
  if (size_.fetch_add(requests, std::memory_order_relaxed) + requests <= most) return GASPI_SUCCESS;
  release(requests);
  return GASPI_QUEUE_FULL;
}

/// Keeps the message of the first failure.
void Queue::fail_for(int rank) {
  if (!corrupt_.exchange(true)) why_ = error_message();
  if (std::find(lost_.begin(), lost_.end(), rank) == lost_.end()) lost_.push_back(rank);
}

gaspi_return_t Queue::posted(Status status, int rank, bool near) {
  if (near && status == Status::ok) return GASPI_SUCCESS;
  const std::lock_guard lock(mutex_);
  if (failed(status)) {
    fail_for(rank);
    return status == Status::peer_died ? GASPI_SUCCESS : answer(status);
  }
  if (!near && std::find(far_.begin(), far_.end(), rank) == far_.end()) far_.push_back(rank);
  return answer(status);
}

Status Queue::look(Context &context) {
  const std::lock_guard lock(mutex_);
  // Each request counted here has had the lock in posted() before, if there is something to wait for.
  const unsigned posted = filled_.load(std::memory_order_relaxed);
  for (const int rank : far_) waited_for_.push_back(context.network().requests()->begin_flush(rank, false));
  far_.clear();
  std::erase_if(waited_for_, [&](Flush &flush) {
    const Status status = context.network().requests()->look(flush, "gaspi_wait");
    if (failed(status)) fail_for(flush.rank);
    return status != Status::again;
  });
  if (corrupt_.load(std::memory_order_relaxed))
    return fail(Status::peer_died, "the queue is corrupt until gaspi_queue_purge: %s", why_.c_str());
  if (!waited_for_.empty()) return Status::again;
  // SYNC put-before-flush (pairs with the message that tells the target)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  empty(posted);
  return Status::ok;
}

/// Other threads may have made room for requests that they have not posted yet: that room stays.
void Queue::empty(unsigned requests) {
  filled_.fetch_sub(requests, std::memory_order_relaxed);
  release(requests);
}

std::vector<int> Queue::lost() {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void Queue::purge() {
  const std::lock_guard lock(mutex_);
  far_.clear();
  waited_for_.clear();
  lost_.clear();
  empty(filled_.load(std::memory_order_relaxed));
  corrupt_ = false;
}

}  // namespace halocline::core::gaspi
