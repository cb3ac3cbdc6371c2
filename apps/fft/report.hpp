// What a run found, for people and as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition.hpp"
#include "options.hpp"

#include <common/environment.hpp>

#include <string>
#include <vector>

namespace fft {

struct Result {
  std::string name;
  bool checked = false;
  std::vector<double> samples;  ///< seconds of all iterations on the slowest rank
};

struct Report {
  common::Environment environment;
  Problem problem;
  Decomposition decomposition;
  std::vector<Complex> checksums;  ///< with --check
  std::vector<Result> variants;    ///< the last one is `local`
};

/// The numbers of the table, one line per variant.
std::string table_of(const Report &report);
/// Writes problem, environment and all samples. Throws if the file cannot be written.
void write_json(const Report &report, const Options &options);

}  // namespace fft
