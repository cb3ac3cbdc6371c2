// Accesses to ranks of other nodes, by the engine's operations. They have only begun when these return, unless it says otherwise.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/access.hpp"

namespace halocline::core::mpi::far {

/// Puts or gets the runs that are contiguous on both sides. Accumulates of this rank that have begun at the target are done before.
int copy(Window &window, WindowMemory::Direction direction, const Spot &spot, const typed::Buffer &mine);

/// Changes a target's elements of at most 8 bytes, as can_change says. If there is a result, the elements before have arrived there.
/// `origin` is not looked at for no_op. What begins later at the same target is done later.
int change(Window &window, typed::Operation operation, const Spot &spot, const typed::ConstBuffer &origin, const typed::Buffer *result);

/// MPI_Compare_and_swap of such an element.
int compare_and_swap(Window &window, const Spot &spot, const typed::Swap &values);

}  // namespace halocline::core::mpi::far
