// The MPI that is loaded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/json.hpp>

namespace info {

/// Its file, version, binary interface, thread level and window models. Collective over MPI_COMM_WORLD.
common::Json mpi_facts();

}  // namespace info
