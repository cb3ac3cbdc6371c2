// The command line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace doctor {

struct Probe;

struct Options {
  std::string json, only;
  std::string drop_in;  ///< the library to try as well; empty: the one beside the program
  double limit_s = 5;
  bool verbose = false, list = false, in_launch = false, no_cache = false, no_drop_in = false;
  /// Of a batch that the doctor starts itself: the folder for results, and the first probe of the table to run.
  std::string results;
  std::size_t first = 0;
  std::string preload;  ///< a drop-in that its ranks load before MPI; then only one-sided probes are run

  bool is_worker() const { return !results.empty(); }
  /// True for names of probes that --only and the drop-in leave.
  bool chooses(const std::string &probe) const;
  /// True for the probes to be run.
  bool runs(const Probe &probe) const;
  /// The arguments by which a worker gets the same options.
  std::vector<std::string> for_worker(const std::string &folder, std::size_t from) const;
};

/// Fills options. Returns -1, or the status to exit with after help or a complaint, whose text is then in `text`.
int parse(int argc, char **argv, Options &options, std::string &text);

/// True for the probes of windows, by the probe's name: what the drop-in for MPI RMA carries.
bool is_one_sided(const std::string &probe);

/// True if a probe's name matches the pattern of --only: a part of it, or with * and ? the whole.
bool matches(const std::string &name, const std::string &pattern);

}  // namespace doctor
