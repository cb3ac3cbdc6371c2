// The transfers of an endpoint that have ended, until they are taken. Used by every network.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <utility>

#include "transport/network.hpp"

namespace halocline::core::transport {

/// One thread at a time, except any().
class EndedTransfers {
 public:
  /// Ends a transfer that the network has completed or failed. error: 0, or the network's error number.
  void add(Transfer &transfer, int error) {
    transfer.error = error;
    // The owner may release a transfer that is not reported as soon as its state is stored, so these are read before.
    const bool reported = transfer.reported;
    Failures *const failures = transfer.failures;
    // SYNC written-before-reuse (pairs with is_done of slot_ends.hpp, Liveness::look_at, any_under_way of RequestPool and Liveness)
    transfer.state.store(error ? Transfer::State::failed : Transfer::State::at_rest, std::memory_order_release);
    if (error && failures) failures->fetch_add(1, std::memory_order_release);
    if (!reported) return;
    transfer.next = nullptr;
    (first_ ? last_->next : first_) = &transfer;
    last_ = &transfer;
    any_.store(true, std::memory_order_relaxed);
  }
  /// The reported ones in the order in which they ended, linked by `next`.
  Transfer *take() {
    any_.store(false, std::memory_order_relaxed);
    return std::exchange(first_, nullptr);
  }
  bool any() const { return any_.load(std::memory_order_relaxed); }

 private:
  Transfer *first_ = nullptr, *last_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace halocline::core::transport
