// Whether findings hold for other random numbers, and for other delays of the ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiments.hpp"

#include <string>
#include <vector>

namespace simulate {

/// What one finding says with delays of one kind, over seeds.
struct Under {
  double noise = 0;
  Noise shape = Noise::exponential;
  int holds = 0, seeds = 0;
  double least = 0, most = 0;  ///< of the finding's value
};

struct Spread {
  std::string figure, statement, measure;
  std::vector<Under> under{};

  /// Whether it holds with delays of some kinds or seeds, and not with others.
  bool hangs_on_noise() const;
};

/// All findings of an experiment that have a value: without delays, and with delays of 1 and 5% of the computation, exponential and even, with each seed
/// from 1 to `seeds`.
std::vector<Spread> spread_of(const Experiment &experiment, const Settings &settings, int seeds);

std::string table_of(const std::vector<Spread> &all);
common::Json json_of(const std::vector<Spread> &all);

}  // namespace simulate
