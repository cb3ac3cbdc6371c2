// The command `operations`: every one-sided operation of the engine and of the host MPI side by side, and what the machine needs for it.
// Source: Gerstenberger et al., section 3; figures 3 and 4.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/pair_options.hpp"
#include "bench/frame/results.hpp"

namespace bench {

/// The names of the parts, in order.
std::vector<std::string> operation_parts();

/// Operations of these parts; `options.parts` may be any of `operation_parts`. Collective. Throws std::runtime_error if a byte is wrong.
Results run_operations(MPI_Comm comm, const PairOptions &options, int argc, char **argv);

Document document_of(const Results &results);

}  // namespace bench
