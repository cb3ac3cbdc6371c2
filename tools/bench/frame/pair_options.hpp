// The options of the commands that measure what goes between two ranks, and of `allreduce`, `rma` and `windows`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"

namespace bench {

struct PairOptions : CommonOptions {
  std::int64_t largest = std::int64_t{256} << 20;  ///< `allreduce`: longer arrays are left out
  double compute_ms = 1000;  ///< `progress`: how long the target computes
  double until = 0;  ///< `operations`: none begins once rank 0's MPI_Wtime is there, but for the first; 0: all do
  std::vector<std::string> backends;  ///< `operations`: only these, beside the limit; none: all
  std::vector<std::string> parts;  ///< `rma`: groups of operations; `windows`: kinds of windows
  double seconds = 2;  ///< `windows`: the most for one kind of window by one set of names
  std::int64_t window_bytes = 4096;  ///< `windows`: of data per rank; a page, so that what windows need beside it shows
  int windows = 32;  ///< `windows`: how many are open at the same time for the memory
};

}  // namespace bench
