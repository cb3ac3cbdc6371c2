// Notifications: counters in segments. One rank stores and rings, the other looks. All of the engine's data orderings stand here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/atomics.hpp"

namespace halocline {

/// Announces that everything written before, here or in a peer's segment, may be read by whoever sees the value.
inline void notify(Counter &counter, std::uint64_t value) {
  // SYNC payload-before-counter (pairs with reached)
  counter.value.store(value, std::memory_order_release);
}

/// True if the counter has come to the value; then everything that its writer wrote before may be read.
inline bool reached(const Counter &counter, std::uint64_t value) {
  // SYNC payload-before-counter (pairs with notify)
  return counter.value.load(std::memory_order_acquire) >= value;
}

}  // namespace halocline
