// The number of rounds of algorithms by doubling: dissemination barriers, recursive doubling.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core {

/// Rounds in which each of `count` ranks reaches all others, where the distance doubles each round: log2, rounded up.
constexpr int doubling_rounds(int count) {
  int rounds = 0;
  while ((std::int64_t{1} << rounds) < count) ++rounds;
  return rounds;
}

}  // namespace halocline::core
