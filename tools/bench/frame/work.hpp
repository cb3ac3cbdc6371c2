// A computation of a chosen length that calls nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace bench {

/// It is counted in steps, not by the clock, so that whoever takes the core from it makes it longer.
class Work {
 public:
  /// Measures how long a step takes.
  Work();
  std::int64_t steps_for(double us) const;
  void compute(std::int64_t steps);

 private:
  volatile double sum_ = 1;
  double steps_per_us_ = 1;
};

}  // namespace bench
