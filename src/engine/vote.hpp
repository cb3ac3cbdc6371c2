// Ending together: a vote among all ranks that does not hang when one of them has died or never comes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/context.hpp"

namespace halocline {

/// Finds the largest of all ranks' numbers. Collective over comm. HLC_ERR_PEER_DIED or, HALOCLINE_TIMEOUT and ten seconds
/// later, HLC_ERR_TIMEOUT if a rank does not vote; the communicator must then not be used for collectives any more.
Status vote(Context &context, MPI_Comm comm, int mine, int *largest);

}  // namespace halocline
