// Persistent collectives: links of their own, whose slots fit the messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "faces/mpi/collective/blocks.hpp"
#include "faces/mpi/collective/exchange_request.hpp"

namespace halocline::core::mpi {

/// The blocks of a collective, in the order of the pattern's edges.
struct BlockLists {
  std::vector<Block> out, in;
};

/// Makes a request with links over this pattern. Collective; null, the same on all ranks, if the host carries the collective.
/// copies_first: what is sent is overwritten by what is received.
std::unique_ptr<OwnRequest> make_persistent(MPI_Comm comm, Pattern pattern, BlockLists blocks, bool copies_first);

}  // namespace halocline::core::mpi
