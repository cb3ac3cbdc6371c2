// The clock of waits and time limits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>

namespace halocline::core {

/// Nanoseconds of a monotonic clock.
inline std::int64_t now_ns() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace halocline::core
