// Words in memory that several ranks share: their size, their distance, and the pause between two looks at one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace halocline::core {

/// Two cache lines: processors fetch lines in pairs, so words of different writers are this far apart.
inline constexpr std::size_t kLinePair = 128;

/// A counter with one writer that others read or wait for. It only grows.
struct alignas(kLinePair) Counter {
  std::atomic<std::uint64_t> value{0};
};
static_assert(sizeof(Counter) == kLinePair);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared memory needs address-free atomics");

/// Tells the processor that this is a spin loop.
inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

/// Rounds up to a multiple of a power of two.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) { return (value + to - 1) & ~(to - 1); }

}  // namespace halocline::core
