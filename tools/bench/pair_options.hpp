// The options of the commands that measure what goes between two ranks, and of `allreduce`, `rma` and `windows`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct PairOptions {
  std::vector<std::int64_t> sizes;  ///< bytes of a message, or of a rank's array
  std::int64_t largest = std::int64_t{256} << 20;  ///< `allreduce`: longer arrays are left out
  int repetitions = 25;
  double sample_ms = 4;
  double compute_ms = 1000;  ///< `progress`: how long the target computes
  std::vector<std::string> parts;  ///< `rma`: groups of operations; `windows`: kinds of windows
  double seconds = 2;  ///< `windows`: the most for one kind of window by one set of names
  int windows = 32;  ///< `windows`: how many are open at the same time for the memory
  int fake_nodes = 0;
  std::uint64_t seed = 1;
  std::string json;
};

}  // namespace bench
