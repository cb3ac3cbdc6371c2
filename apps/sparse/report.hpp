// What a run found, for people and as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"

#include <common/environment.hpp>

#include <string>
#include <vector>

namespace sparse {

struct Result {
  std::string name;
  bool checked = false;
  std::vector<double> samples;  ///< seconds of an exchange on the slowest rank, the mean of --exchanges
};

struct Report {
  common::Environment environment;
  int targets = 0;  ///< of each rank in an exchange
  std::vector<Result> protocols;
};

/// The numbers of the table, one line per protocol.
std::string table_of(const Report &report, const Options &options);
/// Writes problem, environment and all samples. Throws if the file cannot be written.
void write_json(const Report &report, const Options &options);

}  // namespace sparse
