// Random delays that pull the ranks apart in time, repeatable with the launch's seed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <thread>

#include "support/cases.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {

class Skew {
 public:
  /// Every rank and every `stream` draws delays of its own.
  explicit Skew(std::uint64_t stream) : random_(mixed(seed() ^ mixed(stream << 16 | static_cast<std::uint64_t>(rank())))) {}

  /// Mostly no delay, now and then a short one, rarely one that is longer than a whole swap.
  void delay() {
    const std::int64_t dice = between(random_, 0, 19);
    if (dice < 14) return;
    std::this_thread::sleep_for(std::chrono::microseconds(dice < 19 ? between(random_, 1, 100) : between(random_, 200, 1500)));
  }

 private:
  Random random_;
};

}  // namespace halocline::test
