// The physical limit of a halo swap on one node, measured in the same run: what the memory system needs to bring the halo cells into this
// rank's halos, and one hand-over of a cache line, without which no rank can know that the data are there.
//
// Sources: each rank has a twin of the fields in an MPI shared window, of the same shape, whose edges it writes when it writes those of the
// fields. A limit swap copies, run by run, from the twins' interiors of the neighbours into the halos of the real fields; from its own fields
// for directions that face itself, and for neighbours of other nodes, whose memory it can't read.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/contender.hpp"

#include <memory>

namespace bench {

/// The strided copy. Allocating it is collective over node; all ranks of comm must make one.
std::unique_ptr<Contender> make_memory_bound(Problem &problem, MPI_Comm comm, MPI_Comm node);

}  // namespace bench
