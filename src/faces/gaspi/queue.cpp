// Counting requests, and waiting for those that a network carries.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/queue.hpp"

#include "faces/gaspi/answer.hpp"

namespace halocline::core::gaspi {
gaspi_return_t Queue::take(unsigned requests, unsigned most) {
  if (size_.fetch_add(requests, std::memory_order_relaxed) + requests <= most) return GASPI_SUCCESS;
  release(requests);
  return GASPI_QUEUE_FULL;
}

gaspi_return_t Queue::posted(Status status, int rank, bool near) {
  if (failed(status)) {
    requests_.note_failure(status, rank);
    return status == Status::peer_died ? GASPI_SUCCESS : answer(status);
  }
  if (!near) requests_.note(rank);
  return answer(status);
}

Status Queue::look(Context &context) {
  const std::lock_guard lock(emptying_);
  // Each request counted here has been noted in the set before, if there is something to wait for.
  const unsigned posted = filled_.load(std::memory_order_acquire);
  const Status completed = requests_.look(context.network().requests(), "gaspi_wait");
  if (failed(completed)) return Status::peer_died;
  if (completed == Status::again) return completed;
  // SYNC put-before-flush (pairs with the message that tells the target)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  empty(posted);
  return Status::ok;
}

Status Queue::report() { return failed(requests_.take_failure()) ? Status::peer_died : Status::ok; }

/// Other threads may have made room for requests that they have not posted yet: that room stays.
void Queue::empty(unsigned requests) {
  filled_.fetch_sub(requests, std::memory_order_relaxed);
  release(requests);
}

void Queue::purge() {
  const std::lock_guard lock(emptying_);
  const unsigned posted = filled_.load(std::memory_order_acquire);
  requests_.clear();
  empty(posted);
}

}  // namespace halocline::core::gaspi
