// Accesses to ranks of other nodes, by the engine's operations. They have only begun when these return, unless it says otherwise.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/access/resolve_target.hpp"

namespace halocline::core::mpi::far {

/// Puts or gets data whose layouts may be any. Accumulates of this rank that have begun at the target are done before.
int copy(Window &window, WindowMemory::Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin);

/// What is done to elements of a target. needs_lock: no instruction of 8 bytes changes them, and ranks of the target's node hold its lock.
struct Change {
  typed::Operation operation;
  bool needs_lock;
};

/// Changes elements of a target in memory that is not dynamic. If there is a result, the elements before arrive there until the next flush.
/// `origin` is not looked at for no_op. What begins later at the same target is done later.
int change(Window &window, const Change &how, const ResolvedTarget &resolved, const typed::ConstBuffer &origin,
           const typed::Buffer *result);

/// MPI_Compare_and_swap of such an element.
int compare_and_swap(Window &window, bool needs_lock, const ResolvedTarget &resolved, const typed::Swap &values);

}  // namespace halocline::core::mpi::far
