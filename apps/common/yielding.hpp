// Waits for operations of MPI in programs that measure or test, where ranks may share cores.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

namespace common {

/// Completes a request, and lets other ranks of this core run meanwhile. In a blocking call of some MPIs a rank polls for whole time slices,
/// although a rank that it waits for needs the core.
inline void finish_yielding(MPI_Request request) {
  constexpr int looks = 200;
  int done = 0;
  for (int i = 1; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; ++i)
    if (i >= looks) sched_yield();
}

}  // namespace common
