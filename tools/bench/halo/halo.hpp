// The command `halo`: all modes side by side, verified before and after the measurement.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/report.hpp"

#include <functional>
#include <optional>

namespace bench {

/// A report, or what is wrong, in words and on all ranks.
struct HaloOutcome {
  std::optional<std::string> wrong;
  std::optional<Report> report;
};

/// Adds contenders of another library to a race. Collective.
using AddContenders = std::function<void(Problem &problem, MPI_Comm comm, Contenders &contenders)>;

/// add_guests may be empty. Collective over comm.
HaloOutcome measure_halo(MPI_Comm comm, const HaloOptions &options, int argc, char **argv, const AddContenders &add_guests = {});

}  // namespace bench
