// The options of `halocline-bench model`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"

namespace bench {

struct ModelOptions : CommonOptions {
  ModelOptions() { repetitions = 7, sample_ms = 0.5; }

  double seconds = 90;  ///< what has not begun by then is left out
  std::string from;     ///< a file of results to fit to, instead of measuring
  std::string card;     ///< the machine card to write; empty: where it is kept; "none": none
  bool add = false;     ///< keep the card's curves of other numbers of nodes
};

}  // namespace bench
