// The drop-in for MPI RMA, tried as an MPI is: the one-sided probes once more, in ranks that load it before the MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "relaunch.hpp"
#include "report.hpp"

namespace doctor {

/// Names no library in its answer if there is none beside this program, if options want none, or if they choose no one-sided probe.
DropInReport try_drop_in(const Options &options, const LaunchCommand &launch, int ranks);

}  // namespace doctor
