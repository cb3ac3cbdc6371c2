// The CommContext of each communicator, kept as its attribute. One that spans several nodes is closed once all its ranks have met: ranks of
// other nodes may still need replies of this one, and ranks of its node the helper process. Only MPI_Finalize waits for that meeting.
// MPI_Comm_free returns at once in most MPIs, and programs rely on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window/comm_context.hpp"

namespace halocline::core::mpi {

/// The context of a communicator, opened if this is its first window. Collective.
std::shared_ptr<CommContext> find_comm_context(MPI_Comm comm);

/// The context if an earlier window has opened it; else null. Local.
std::shared_ptr<CommContext> known_comm_context(MPI_Comm comm);

/// Frees the memory that this process keeps of freed windows for new ones. Local.
void drop_spares();

/// Closes the contexts of all communicators, before MPI_Finalize. Collective over all ranks of MPI_COMM_WORLD.
void release_comm_contexts();

}  // namespace halocline::core::mpi
