// NetCDF files: what there is to look at, and what a run continues from. Rank 0 gathers and writes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fluid.hpp"

#include <string>

namespace boltzmann {

/// Why this build cannot write or read such files; empty if it can.
std::string why_no_files();

/// A file of states, with names after the CF conventions, 1.8.
class Output {
 public:
  /// Creates the file. Collective; throws std::runtime_error on rank 0.
  Output(const std::string &path, const halocline::Context &context, const Options &options, const Domain &domain);
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output();
  /// Adds a state. Collective.
  void write(Fluid &fluid);

 private:
  std::string path_;
  int rank_, id_ = -1, time_ = -1;
  std::vector<int> variables_;
  std::size_t record_ = 0;
};

/// Writes all distributions. The file is replaced as a whole. Collective.
void write_checkpoint(const std::string &path, const halocline::Context &context, const Options &options, Fluid &fluid);
/// Goes on from such a file, on any number of ranks. Collective; throws halocline::Error on all ranks if the file does not fit.
void read_checkpoint(const std::string &path, const Options &options, Fluid &fluid);

}  // namespace boltzmann
