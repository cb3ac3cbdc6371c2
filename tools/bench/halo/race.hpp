// The race: verifies every contender, chooses how often a sample repeats a swap, and takes one sample of each per round in shuffled order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/shared.hpp"
#include "bench/halo/memory_bound.hpp"

#include <common/handover.hpp>

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bench {

/// What was measured of one contender; the same on all ranks, but for mode and route.
struct Series {
  std::string name, mode, route;  ///< the latter two after the last sample: mode auto may choose again
  bool swaps;                   ///< false for the physical limit
  std::int64_t verified_cells;  ///< halo cells checked and found right, over all ranks
  int repeats;                  ///< swaps in the next sample
  std::vector<double> samples_us;
};

class Race {
 public:
  using Progress = std::function<void(const std::string &what, int done, int of)>;

  Race(Problem &problem, Contenders &contenders, const HaloOptions &options, MPI_Comm comm);

  /// Swaps and verifies every contender `swaps` times. Returns what is wrong, in words and on all ranks, or nothing. Collective.
  std::optional<std::string> verify(int swaps, const Progress &progress);
  /// Takes all samples. Collective.
  void run(Handover &handover, const Progress &progress);

  const std::vector<Series> &series() const { return series_; }
  const std::vector<double> &handover_us() const { return handover_us_; }

 private:
  std::optional<std::string> verify_once(std::size_t contender);
  int repeats_for(double us) const;
  void choose_repeats(std::size_t contender);
  void adapt_repeats(std::size_t contender, double us);
  double sample(std::size_t contender, int repeats);
  double seconds_together(Contender &contender, int repeats);
  double seconds_apart(Contender &contender, int repeats);
  void be_late();

  Problem &problem_;
  Contenders &contenders_;
  const HaloOptions &options_;
  MPI_Comm comm_;
  std::vector<Series> series_;
  std::vector<double> handover_us_;
  std::mt19937_64 order_, delays_;
  std::uint32_t step_ = 0;
};

}  // namespace bench
