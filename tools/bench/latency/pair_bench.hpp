// The commands `notify` and `bandwidth`: two ranks, and what carries bytes between them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/latency/pair_report.hpp"

namespace bench {

/// Measure half round trips, the second streams too. comm has 2 ranks. They throw halocline::Error where the library cannot put. The same on
/// both ranks; collective.
PairReport run_notify(MPI_Comm comm, const CommonOptions &options, int argc, char **argv);
PairReport run_bandwidth(MPI_Comm comm, const CommonOptions &options, int argc, char **argv);

}  // namespace bench
