// The command `overlap`: how much of a swap's time hides behind computation between start and finish. Source: Gerstenberger et al., section 3.1
// and figure 3b.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

/// Microseconds, one entry per round; the slower rank's.
struct OverlapSamples {
  std::vector<double> communication_us;  ///< start and finish, nothing between
  std::vector<double> start_us;  ///< start alone, in the combined swap
  std::vector<double> compute_us;  ///< the computation alone
  std::vector<double> combined_us;  ///< start, the same computation, finish
};

/// One kind of progress at one size.
struct OverlapRow {
  std::int64_t bytes;
  std::string progress;
  OverlapSamples samples;
  double communication_us, start_us, compute_us, combined_us;  ///< medians
  double hidden_percent;  ///< of the communication's time; below 0: computing made it longer
};

struct OverlapReport {
  Environment environment;
  std::string network;
  std::vector<OverlapRow> rows;
};

/// comm has 2 ranks. The same on both ranks; collective.
OverlapReport run_overlap(MPI_Comm comm, const CommonOptions &options, int argc, char **argv);

std::string table_of(const OverlapReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const OverlapReport &report);

}  // namespace bench
