// What a run found, for people and as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "measure.hpp"

#include <common/environment.hpp>

#include <string>
#include <vector>

namespace ghost {

struct Result {
  std::string name;
  std::uint64_t fingerprint = 0;
  std::vector<Sample> samples;
};

struct Report {
  common::Environment environment;
  std::vector<Result> variants;
  std::vector<Limits> limits;
};

/// The numbers of the table, one line per variant, and the limits.
std::string table_of(const Report &report, const Grid &grid, const Options &options);
/// Writes problem, environment, all samples and the limits. Throws if the file cannot be written.
void write_json(const Report &report, const Grid &grid, const Options &options);

}  // namespace ghost
