// A lock that the ranks of a node share, for some instructions or calls of the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.hpp"
#include "transport/shm/doorbell.hpp"

namespace halocline {

/// A word of shared memory as one rank sees it: 0 if nobody has the lock, else the member that has it, counted from 1. Any thread may call.
/// Several threads of a rank are kept apart as well.
class NodeLock {
 public:
  NodeLock() = default;
  NodeLock(char *word, const transport::shm::Doorbell &doorbell, transport::Member me)
      : word_(reinterpret_cast<std::atomic<std::uint32_t> *>(word)), doorbell_(&doorbell), mine_(static_cast<std::uint32_t>(me) + 1) {}

  /// False if another has it for longer than a moment. Whose process has ended has it no longer.
  bool try_lock() const {
    std::uint32_t owner = 0;
    for (int tries = 0; tries < kTries; ++tries) {
      // SYNC unlocked-before-locked (pairs with unlock)
      if (owner = 0; word_->compare_exchange_strong(owner, mine_, std::memory_order_acquire)) return true;
      cpu_pause();
    }
    return !doorbell_->alive(static_cast<transport::Member>(owner - 1)) &&
           word_->compare_exchange_strong(owner, mine_, std::memory_order_acquire);
  }
  void unlock() const {
    // SYNC unlocked-before-locked (pairs with try_lock)
    word_->store(0, std::memory_order_release);
  }
  explicit operator bool() const { return word_ != nullptr; }

 private:
  static constexpr int kTries = 500;

  std::atomic<std::uint32_t> *word_ = nullptr;
  const transport::shm::Doorbell *doorbell_ = nullptr;
  std::uint32_t mine_ = 0;
};

}  // namespace halocline
