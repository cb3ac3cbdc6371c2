// The options of `halocline-bench auto`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"

namespace bench {

struct AutoOptions : CommonOptions {
  AutoOptions() { repetitions = 21, sample_ms = 2; }

  double seconds = 540;  ///< what has not begun by then is left out
  int most = 1000;       ///< configurations
};

}  // namespace bench
