// What carries data, and why other things do not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/json.hpp>

namespace info {

/// Shared memory, the kernel's copies, XPMEM, and each provider of libfabric, with the reason of each that is refused. Collective over
/// MPI_COMM_WORLD; what rank 0 returns holds.
common::Json transports(const halocline::Context &context);

}  // namespace info
