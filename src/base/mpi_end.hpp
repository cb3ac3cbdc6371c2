// Whether MPI has been finalised, without a call to MPI: halos and fields may outlive MPI, and must not call it then.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "base/status.hpp"

namespace halocline::core {

/// Set once by MPI_Finalize.
extern std::atomic<bool> mpi_end_was_seen;

/// True from the beginning of MPI_Finalize on. Any thread.
inline bool mpi_has_ended() { return mpi_end_was_seen.load(std::memory_order_relaxed); }

/// Makes MPI report when it is finalised, once per process. Local; MPI must be initialised.
Status watch_end_of_mpi();

}  // namespace halocline::core
