// What a run found, for people and as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "observe.hpp"

#include <common/environment.hpp>

namespace boltzmann {

struct Result {
  std::string name;
  bool checked = false;
  State first, last;
  std::string unstable;  ///< where it has become so, and then stopped
  std::vector<Comparison> comparisons;
  std::int64_t bytes_in = 0;  ///< of a step, from all ranks to others
  /// Seconds of a step: total on the slowest rank, parts as means of the ranks. Communication is the difference from `local`, on the rank where
  /// it is least: others also wait for a rank that computes slower.
  struct Sample {
    double total = 0, communication = 0;
    Times parts;
  };
  std::vector<Sample> samples;
};

struct Report {
  common::Environment environment;
  std::vector<Result> variants;  ///< if there are samples, the last one is `local`
};

/// A line about the problem.
std::string title_of(const Options &options, const Domain &domain);
/// A line about a state.
std::string line_of(int step, const State &state, bool is_binary);
/// The numbers of the table, one line per variant.
std::string table_of(const Options &options, const Report &report);
/// Writes problem, environment and all samples. Throws if the file cannot be written.
void write_json(const Options &options, const Domain &domain, const Report &report);

}  // namespace boltzmann
