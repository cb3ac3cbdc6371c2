// The command `progress`: how long a put takes to a rank that computes and does not call the library meanwhile. Source: Hammond, slides on Casper.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct ProgressOptions : CommonOptions {
  double compute_ms = 1000;  ///< how long the target computes
};

/// One kind of progress at one size.
struct ProgressRow {
  std::int64_t bytes;
  std::string progress;
  std::vector<double> completion_us;  ///< of put and flush, one entry per round
  std::vector<double> compute_us;  ///< of the target, from the same start
  double median_completion_us, median_compute_us;
  bool waits;  ///< in half of the rounds or more the put was complete only when the target had computed
};

struct ProgressReport {
  Environment environment;
  std::string network;
  std::vector<ProgressRow> rows;
};

/// comm has 2 ranks. Throws halocline::Error where the library cannot put. The same on both ranks; collective.
ProgressReport run_progress(MPI_Comm comm, const ProgressOptions &options, int argc, char **argv);

std::string table_of(const ProgressReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const ProgressReport &report);

}  // namespace bench
