// HALOCLINE_TRACE for windows: the calls of MPI on a window of the engine, as spans with their target, bytes and group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "faces/mpi/check/checker.hpp"

namespace halocline::core::mpi {

/// What records the calls on a window, around what checks them, which may be null. Returns `check` itself if nothing is traced, so that a call
/// has no branch for the trace.
std::shared_ptr<Check> trace_calls(Window &window, std::shared_ptr<Check> check);

/// Compares clocks a last time, if a window has traced ranks. In MPI_Finalize, before the windows' contexts are closed. Collective.
void end_trace();

}  // namespace halocline::core::mpi
