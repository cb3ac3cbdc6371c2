// Counters in shared memory: one rank stores a value and rings the doorbell, another reads it. The engine's ordering of payload and
// counter is here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/atomics.hpp"

namespace halocline::core {

/// Stores the value (release). A rank that reads it may read everything written before, here or in a peer's segment.
inline void notify(Counter &counter, std::uint64_t value) {
  // SYNC payload-before-counter (pairs with reached)
  counter.value.store(value, std::memory_order_release);
}

/// True if the counter has reached the value; then everything that its writer wrote before may be read.
inline bool reached(const Counter &counter, std::uint64_t value) {
  // SYNC payload-before-counter (pairs with notify)
  return counter.value.load(std::memory_order_acquire) >= value;
}

}  // namespace halocline::core
