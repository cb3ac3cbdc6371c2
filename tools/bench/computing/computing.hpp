// The command `computing`: what a target that computes and calls nothing costs the rank that accesses its memory, by ARMCI, by OpenSHMEM and by
// MPI's one-sided operations. Source: Hammond, slides on Casper.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct ComputingOptions : CommonOptions {
  double compute_ms = 5;  ///< how long the target computes
};

struct ComputingReport {
  Results results;
  double compute_ms;
};

std::string table_of(const ComputingReport &report);
Document document_of(const ComputingReport &report);

/// Collective. Throws std::runtime_error if a value is wrong.
ComputingReport run_computing(MPI_Comm comm, const ComputingOptions &options, int argc, char **argv);

}  // namespace bench
