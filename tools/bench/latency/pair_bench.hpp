// The commands `notify` and `bandwidth`: two ranks, and what carries bytes between them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/latency/pair_report.hpp"

namespace bench {

/// Measures half round trips, and streams if asked for. comm has 2 ranks. Throws halocline::Error where the library cannot put. The same on
/// both ranks; collective.
PairReport run_pair(MPI_Comm comm, const PairOptions &options, bool streams, int argc, char **argv);

}  // namespace bench
