// Swaps of an array's halo, in any mode of the library: forward, or reverse, which adds what was deposited beside a block to its owner.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block.hpp"
#include "clock.hpp"

namespace pic {

/// Which halo cells a swap has: all around the block, those on the high sides, all but those on the high side of x, or those beside faces,
/// without edges and corners.
enum class Sides { both, high, not_high_x, faces };
/// Forward: owners to halos. Reverse: halo values are added to their owners.
enum class Way { forward, reverse };

/// How a model communicates, and where the time of that is counted.
struct Setup {
  const halocline::Context &context;
  const Block &block;
  halocline::Mode mode, reverse_mode;
  Clock &clock;
};

/// The numbers of each cell that a swap moves: all of an array, or `count` from number `first` on.
struct Moved {
  Moved(Array &whole) : array(whole), first(0), count(whole.width()) {}
  Moved(Array &part, int from, int numbers) : array(part), first(from), count(numbers) {}

  Array &array;
  int first, count;
};

class Swaps {
 public:
  /// Collective. The array outlives it.
  Swaps(const Setup &setup, const Moved &moved, Sides sides, Way way, Site site, const char *name);

  void start();
  void finish();
  /// start and finish in one. Reverse: the halo becomes 0.
  void swap();

 private:
  static halocline::Halo plan(const Setup &setup, const Moved &moved, Sides sides, Way way, const char *name);

  Clock &clock_;
  Way way_;
  Site site_;
  halocline::Halo halo_;
};

}  // namespace pic
