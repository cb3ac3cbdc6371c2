// Counting requests, and waiting for those that a network carries.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/queue.hpp"

#include <algorithm>

namespace halocline::gaspi {
namespace {

Status corrupt() { return fail(Status::state, "the queue is corrupt: an earlier request has failed (gaspi_queue_purge mends it)"); }

}  // namespace

gaspi_return_t Queue::take(unsigned requests, unsigned most) {
  if (is_corrupt()) {
    static_cast<void>(corrupt());
    return GASPI_ERROR;
  }
  if (size_.fetch_add(requests, std::memory_order_relaxed) + requests <= most) return GASPI_SUCCESS;
  size_.fetch_sub(requests, std::memory_order_relaxed);
  return GASPI_QUEUE_FULL;
}

gaspi_return_t Queue::posted(Status status, int rank, bool near) {
  if (failed(status)) {
    corrupt_ = true;
    return GASPI_ERROR;
  }
  if (near) return GASPI_SUCCESS;
  const std::lock_guard lock(mutex_);
  if (std::find(far_.begin(), far_.end(), rank) == far_.end()) far_.push_back(rank);
  return GASPI_SUCCESS;
}

Status Queue::look(Context &context) {
  if (is_corrupt()) return corrupt();
  const std::lock_guard lock(mutex_);
  const unsigned posted = size();
  for (const int rank : far_) waited_for_.push_back(context.network().traffic()->begin_drain(rank, false));
  far_.clear();
  while (!waited_for_.empty()) {
    const Status status = context.network().traffic()->look(waited_for_.back(), "gaspi_wait");
    if (failed(status)) corrupt_ = true;
    if (status != Status::ok) return status;
    waited_for_.pop_back();
  }
  // SYNC put-before-flush (pairs with whatever tells the target)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  size_.fetch_sub(posted, std::memory_order_relaxed);
  return Status::ok;
}

std::vector<int> Queue::give_up() {
  const std::lock_guard lock(mutex_);
  corrupt_ = true;
  std::vector<int> ranks;
  ranks.reserve(waited_for_.size());
  for (const Drain &drain : waited_for_) ranks.push_back(drain.rank);
  return ranks;
}

void Queue::purge() {
  const std::lock_guard lock(mutex_);
  far_.clear();
  waited_for_.clear();
  size_ = 0;
  corrupt_ = false;
}

}  // namespace halocline::gaspi
