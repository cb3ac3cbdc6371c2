// What a run says at its end: time and communication by site, and the same as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "clock.hpp"
#include "options.hpp"

#include <common/environment.hpp>

namespace pic {

/// Seconds of a step: the slowest rank's, and means over the ranks.
struct Sample {
  double total = 0;
  double site[kSites] = {};
  /// Of all sites but waiting.
  double communication() const;
};

struct Result {
  std::string name;
  bool same = true;  ///< bits of the first variant
  int field_iterations = 0, charge_iterations = 0;  ///< of all steps
  std::vector<Sample> samples;
};

std::string table_of(const std::vector<Result> &results);
void write_json(const Options &options, const common::Environment &environment, const std::vector<Result> &results);

}  // namespace pic
