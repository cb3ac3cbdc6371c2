// A lock that the ranks of a node share, held for some instructions or system calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.hpp"
#include "transport/shm/doorbell.hpp"

namespace halocline::core {

/// A lock in a word of shared memory: 0 if it is free, else the member that holds it, counted from 1. Any thread may call; the threads of a
/// rank exclude each other too.
class NodeLock {
 public:
  NodeLock() = default;
  NodeLock(char *word, const transport::shm::Doorbell &doorbell, transport::Member me)
      : word_(reinterpret_cast<std::atomic<std::uint32_t> *>(word)), doorbell_(&doorbell), mine_(static_cast<std::uint32_t>(me) + 1) {}

  /// False if another holds it for longer than a moment. A lock whose holder's process has ended is taken over.
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

}  // namespace halocline::core
