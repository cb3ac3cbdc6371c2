// Times all carriers of bytes between two ranks, interleaved: one sample of each per round, in shuffled order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/sampled.hpp"
#include "bench/latency/pair.hpp"

#include <random>

namespace bench {

/// What a sample repeats.
enum class Lap { ping_pong, stream };

class Interleaved {
 public:
  Interleaved(const Pair &pair, Carriers &carriers, const CommonOptions &options)
      : pair_(pair), carriers_(carriers), options_(options), order_(options.seed) {}

  /// Sends a pattern by every carrier and looks at what arrives; throws std::runtime_error on both ranks if anything is wrong. Collective.
  void verify(Lap lap, std::int64_t bytes);
  /// Samples of each carrier, in their order: half a round trip, or the share of one message in a stream. The same on both ranks. Collective.
  std::vector<Sampled> run(Lap lap, std::int64_t bytes);

 private:
  void repeat(Carrier &carrier, Lap lap, std::int64_t bytes, int count);
  double sample(Carrier &carrier, Lap lap, std::int64_t bytes, int count);
  static double least(Lap lap);
  int count_for(double us, Lap lap) const;
  int first_count(Carrier &carrier, Lap lap, std::int64_t bytes);
  void adapt(int &count, double us, Lap lap) const;

  Pair pair_;
  Carriers &carriers_;
  const CommonOptions &options_;
  std::mt19937_64 order_;
  unsigned pattern_ = 0;
};

}  // namespace bench
