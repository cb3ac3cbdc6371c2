// What the doctor found, for people and for programs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "modes.hpp"
#include "outcome.hpp"

namespace doctor {

/// What the one-sided probes found with the drop-in loaded before the MPI.
struct DropInReport {
  std::string library;  ///< its file; empty if none was tried
  std::string trouble;  ///< why it could not be tried
  std::string windows;  ///< how many windows it carried, in its own words
  double seconds = 0;
  std::vector<Result> results;
};

struct Report {
  std::string mpi, mpi_short, host, date, launch;  ///< launch: how the ranks were started, in words
  int ranks = 1;
  double seconds = 0;
  bool complete = true;  ///< all probes were asked for
  std::vector<Result> results;
  ModeVerdicts modes;
  DropInReport drop_in;

  bool has_fault() const;
};

/// A table of windows by synchronisation, a list of features, what it means for the modes, and every fault with the line that shows it again.
std::string text_of(const Report &report, bool verbose);

/// Writes the report; throws std::runtime_error if the file cannot be written. Missing folders are made; the file appears whole or not at all.
void write_json(const Report &report, const std::string &path);

}  // namespace doctor
