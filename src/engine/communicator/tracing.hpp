// Opening and closing the trace of a context: its files, the ranks' numbers in MPI_COMM_WORLD, and the differences between clocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

/// Begins to record if HALOCLINE_TRACE or HALOCLINE_SUMMARY asks for it, which is the same on all ranks. A file that cannot be written is
/// reported, and is not a failure. Collective.
Status open_trace(Communicator &communicator);

/// Compares the clocks of the hosts once more, and writes what has been recorded. Collective.
Status close_trace(Communicator &communicator);

}  // namespace halocline::core
