// Where the ranks run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/json.hpp>

namespace info {

/// Hosts, nodes, and per rank its place and cores. Collective over MPI_COMM_WORLD; what rank 0 returns holds.
common::Json topology(const hlc_context_info_t &context);

}  // namespace info
