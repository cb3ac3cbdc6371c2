// Requests of transfers to other nodes that are still under way when their calls return.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// Gives a request for what this rank has begun so far to a rank of another node. It is complete once the buffers here may be reused. Every
/// wait and test of the host completes it. False if the transfers are over already, or the host has no such requests.
bool give_request(Window &window, int target, MPI_Request *request);

/// Gives the request of an access that has begun, unless its call has failed with that code. It is complete, unless the target is on another
/// node.
int end_with_request(Window &window, int code, int target, MPI_Request *request);

}  // namespace halocline::core::mpi
