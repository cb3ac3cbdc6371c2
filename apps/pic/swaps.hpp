// Swaps of an array's halo, in any mode of the library: forward, or reverse, which adds what was deposited beside a block to its owner.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block.hpp"
#include "clock.hpp"

namespace pic {

/// Which sides of a block have a halo in a swap.
enum class Sides { both, high };

/// How a model communicates, and where the time of that is counted.
struct Setup {
  const halocline::Context &context;
  const Block &block;
  halocline::Mode mode;
  Clock &clock;
};

class Swaps {
 public:
  /// Collective. The array outlives it.
  Swaps(const Setup &setup, Array &array, Sides sides, Site site, const char *name);

  void start();
  void finish();
  /// start and finish in one.
  void swap();
  /// Halo values are added to their owners, and become 0.
  void swap_reverse();

 private:
  static halocline::Halo plan(const Setup &setup, Array &array, Sides sides, const char *name);

  Clock &clock_;
  Site site_;
  halocline::Halo halo_;
};

}  // namespace pic
