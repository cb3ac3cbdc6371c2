// Ending together: a vote among all ranks that does not hang when one of them has died or never comes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/context.hpp"

namespace halocline {

/// Finds the largest of all ranks' numbers. Collective over comm. HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a rank does not
/// vote (ten seconds after HALOCLINE_TIMEOUT if mine is not 0, eleven times HALOCLINE_TIMEOUT if it is); the communicator must then not be
/// used for collectives any more.
Status vote(Context &context, MPI_Comm comm, int mine, int *largest);

}  // namespace halocline
