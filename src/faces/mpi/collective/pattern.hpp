// The edges of a collective of neighbours, as one rank sees them, and which blocks of two ranks are the two ends of one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace halocline::core::mpi {

/// One end of an edge. The key tells the edges from one rank to another apart: it is the same at both ends.
struct EdgeEnd {
  int rank;  // the other end; MPI_PROC_NULL: a block that goes nowhere
  int key;
  std::int64_t slot_bytes;  // of an outgoing edge: a longer message is not packed into shared memory
};

/// The edges of a rank, in the order of its blocks.
struct Pattern {
  std::vector<EdgeEnd> out, in;
};

/// The edges of a communicator's topology, in the order of MPI 4.1, section 8.6: in a Cartesian topology the block for one direction arrives as
/// that from the other direction, also where both are one rank. Local; an MPI error code.
int read_topology(MPI_Comm comm, Pattern *pattern);

/// True if it has a topology.
bool has_topology(MPI_Comm comm);

}  // namespace halocline::core::mpi
