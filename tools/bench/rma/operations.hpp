// The command `operations`: every one-sided operation of the engine and of the host MPI side by side, and what the machine needs for it.
// Source: Gerstenberger et al., section 3; figures 3 and 4.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct OperationOptions : CommonOptions {
  std::vector<std::string> parts;     ///< groups of operations
  std::vector<std::string> backends;  ///< only these, beside the limit; none: all
  double until = 0;  ///< no operation but the first begins once rank 0's MPI_Wtime is there; 0: all do
};

/// The names of the parts, in order.
std::vector<std::string> operation_parts();

/// Operations of these parts; `options.parts` may be any of `operation_parts`. Collective. Throws std::runtime_error if a byte is wrong.
Results run_operations(MPI_Comm comm, const OperationOptions &options, int argc, char **argv);

Document document_of(const Results &results);

}  // namespace bench
