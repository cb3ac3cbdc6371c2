// What a run found, for people and as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

#include <common/environment.hpp>

namespace lattice {

struct Result {
  std::string name;
  bool checked = false;
  Outcome first;                  ///< of the solution that is checked
  double recomputed_residual = 0, norm = 0;
  std::int64_t bytes_in = 0;      ///< of a swap of one parity, from all ranks to others
  std::vector<Times> samples;     ///< of a solution: total on the slowest rank, the rest the mean of the ranks
};

struct Report {
  common::Environment environment;
  double plaquette = 0, link_trace = 0;
  std::vector<Result> variants;  ///< if there are samples, the last one is `local`
};

/// A line about the problem.
std::string title_of(const Problem &problem, const Report &report);
/// The numbers of the table, one line per variant.
std::string table_of(const Report &report);
/// Writes problem, environment and all samples. Throws if the file cannot be written.
void write_json(const Problem &problem, const Report &report);

}  // namespace lattice
