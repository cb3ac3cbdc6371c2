// The links of a communicator with a topology, over which its neighbourhood collectives go. They are made in the first blocking call, which all
// ranks make alike, and kept until the communicator is freed. All ranks know the same: such calls have one order on a communicator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "faces/mpi/collective/links.hpp"
#include "faces/mpi/handle/handle_table.hpp"

namespace halocline::core::mpi {

/// The links of a communicator; null if the host carries its collectives.
struct NeighborComm {
  std::shared_ptr<Links> links;
};

/// Hidden: a variable that other libraries might replace would be read through a table.
[[gnu::visibility("hidden")]] extern constinit halocline::mpi::HandleTable neighbor_comms;

/// Makes the links, or decides that the host carries the collectives: HALOCLINE_LOG=info says why. Collective. Null, the same on all ranks, if that
/// is not decided for later calls, because a rank is out of memory.
NeighborComm *open_neighbor_comm(MPI_Comm comm);

/// What is known of a communicator; null before its first blocking call. Any thread.
inline NeighborComm *known_neighbor_comm(MPI_Comm comm) {
  return const_cast<NeighborComm *>(static_cast<const NeighborComm *>(neighbor_comms.find(halocline::mpi::handle_bits(comm))));
}

/// The bytes of a slot where the sizes of messages are not known, for that many edges.
std::int64_t usual_slot_bytes(std::size_t edges);

/// Before MPI_Finalize.
void release_neighbor_comms();

}  // namespace halocline::core::mpi
