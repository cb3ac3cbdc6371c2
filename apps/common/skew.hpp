// Random delays for tests: what is in the wrong order then shows.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>

namespace common {

class Skew {
 public:
  Skew(std::uint64_t seed, int rank) : on_(seed != 0), random_(seed * 1000 + static_cast<std::uint64_t>(rank)) {}

  bool is_on() const { return on_; }

  /// A random number from 1 to `most`.
  std::size_t up_to(std::size_t most) { return 1 + static_cast<std::size_t>(random_() % most); }

  /// Mostly nothing or some microseconds, and now and then a time in which others could take many steps.
  void delay() {
    if (!on_) return;
    const std::uint64_t dice = random_();
    if (dice % 4 < 2) return;
    const std::timespec time{0, static_cast<long>(dice % 32 == 31 ? 2'000'000 : dice / 32 % 60'000)};
    nanosleep(&time, nullptr);
  }

 private:
  bool on_;
  std::mt19937_64 random_;
};

}  // namespace common
