// Some of the ranks at work while the others sleep: measurements with fewer ranks than were started.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

namespace bench {

/// The first `size` ranks of a communicator call `work` with a communicator of their own. The others sleep meanwhile and take no core from
/// them. Returns what `work` returned, 0 on a rank that slept. A Refusal, which all ranks of the team throw, is thrown on all. Collective.
int with_team(MPI_Comm all, int size, const std::function<int(MPI_Comm)> &work);

/// Whether MPI_Wtime of rank 0 is before `end`. Collective.
bool is_time_left(MPI_Comm comm, double end);

}  // namespace bench
