// The discrete-event simulation: runs the scripts of a job on a machine. The same job, machine and seed give the same result to the last bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine.hpp"
#include "script.hpp"

#include <atomic>
#include <cstdint>

namespace simulate {

/// How the random delays of ranks are distributed, around the same mean.
enum class Noise : std::uint8_t {
  exponential,  ///< without a bound
  even,  ///< between 0 and twice the mean
};

struct Rounds {
  int warmups = 1;  ///< rounds that are not counted
  int counted = 3;
  std::uint64_t seed = 1;  ///< of the noise
  Noise noise = Noise::exponential;
};

/// Times in microseconds per counted round.
struct Outcome {
  double mean_us = 0;  ///< from begin to end, averaged over the ranks
  double worst_us = 0;  ///< from begin to end, of the slowest rank
  double round_us = 0;  ///< of a whole round: from the last rank's beginning of the first to the last rank's end of the last
  std::uint64_t events = 0;
};

/// How many have ended so far, for whoever shows progress.
extern std::atomic<int> simulations_done;

/// Refusal if a rank waits without end.
Outcome run(const Job &job, const Machine &machine, const Rounds &rounds);

}  // namespace simulate
