// The nodes of all communicators, kept as attributes of these, and their end. One that spans several nodes goes once all its ranks have met.
// Ranks of other nodes may still need replies of this one, and those of its node the helper process. Only MPI_Finalize waits for that.
// MPI_Comm_free returns at once in most MPIs, and programs count on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window/comm_context.hpp"

namespace halocline::core::mpi {

/// The node of a communicator, opened if this is its first window. Collective.
std::shared_ptr<Node> find_node(MPI_Comm comm);

/// The same if an earlier window has opened it; else null. Local.
std::shared_ptr<Node> known_node(MPI_Comm comm);

/// Frees what the nodes of this process keep of windows that have ended. Local.
void drop_spares();

/// Closes the nodes of all communicators, before MPI_Finalize. Collective over all of MPI.
void release_nodes();

}  // namespace halocline::core::mpi
