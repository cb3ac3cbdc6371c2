// The command `halo`: all modes side by side, verified before and after the measurement.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/report.hpp"

#include <optional>

namespace bench {

/// A report, or what is wrong, in words and on all ranks.
struct HaloOutcome {
  std::optional<std::string> wrong;
  std::optional<Report> report;
};

/// Collective over comm.
HaloOutcome measure_halo(MPI_Comm comm, const HaloOptions &options, int argc, char **argv);

}  // namespace bench
