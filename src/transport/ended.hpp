// Transfers that are over, until they are taken: what every network's endpoint does with one that has ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <utility>

#include "transport/network.hpp"

namespace halocline::transport {

/// One thread at a time, but for any().
class EndedTransfers {
 public:
  /// The network is done with a transfer. error: 0, or the network's number.
  void add(Transfer &transfer, int error) {
    transfer.error = error;
    // Its owner may let go of one that is not reported as soon as it is over.
    const bool reported = transfer.reported;
    Failures *const failures = transfer.failures;
    // SYNC written-before-reuse (pairs with is_done of WireChannel, NodeLinks::Link and Ring, Liveness::look_at, any_under_way of RequestPool and Liveness)
    transfer.state.store(error ? Transfer::State::failed : Transfer::State::at_rest, std::memory_order_release);
    if (error && failures) failures->fetch_add(1, std::memory_order_release);
    if (!reported) return;
    transfer.next = nullptr;
    (first_ ? last_->next : first_) = &transfer;
    last_ = &transfer;
    any_.store(true, std::memory_order_relaxed);
  }
  /// The reported ones, in the order in which they ended; each leads to the next.
  Transfer *take() {
    any_.store(false, std::memory_order_relaxed);
    return std::exchange(first_, nullptr);
  }
  bool any() const { return any_.load(std::memory_order_relaxed); }

 private:
  Transfer *first_ = nullptr, *last_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace halocline::transport
