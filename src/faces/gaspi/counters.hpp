// Counters of what this process has posted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace halocline::core::gaspi {

enum class Counter { writes, bytes_written, reads, bytes_read, notifications, waits, full_queues, count_ };

/// Any thread may call. Nothing is counted while verbosity is 0.
class Counters {
 public:
  std::atomic<unsigned> verbosity{0};

  void count(Counter counter, unsigned long number) {
    if (verbosity.load(std::memory_order_relaxed) > 0) at(counter).fetch_add(number, std::memory_order_relaxed);
  }
  std::atomic<unsigned long> &at(Counter counter) { return counters_[static_cast<std::size_t>(counter)]; }

 private:
  std::array<std::atomic<unsigned long>, static_cast<std::size_t>(Counter::count_)> counters_{};
};

}  // namespace halocline::core::gaspi
