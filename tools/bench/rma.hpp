// The command `rma`: the calls of MPI-3 RMA, through libhalocline_mpi where it is loaded and through the host MPI, in turn in one process.
// Source: Gerstenberger et al., section 3.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pair_options.hpp"
#include "shared.hpp"

namespace bench {

/// Microseconds of one call, one sample per round.
struct RmaSeries {
  std::string name;
  std::vector<double> samples_us;
  double median_us = 0, p10_us = 0, p90_us = 0;
};

/// One operation of one size: MPI_ names, PMPI_ names, the limit. `ratio`: the host's time to the library's.
struct RmaRow {
  std::string operation;
  std::int64_t bytes = 0;
  std::vector<RmaSeries> series;
  double ratio = 0, ratio_p10 = 0, ratio_p90 = 0;
};

struct RmaReport {
  Environment environment;
  bool loaded = false;  ///< whether MPI_Put is that of libhalocline_mpi
  std::vector<RmaRow> rows;
};

/// Collective; the same on all ranks. Throws std::runtime_error if a byte is wrong.
RmaReport run_rma(MPI_Comm comm, const PairOptions &options, int argc, char **argv);

std::string table_of(const RmaReport &report);
void write_json(const RmaReport &report, const std::string &path);

}  // namespace bench
