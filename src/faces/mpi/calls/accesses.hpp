// Accesses without what surrounds them in MPI's functions: for those and for notified ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/access/resolve_target.hpp"

namespace halocline::core::mpi {

/// Checks both sides of a put or a get. An MPI error class, or MPI_SUCCESS.
int resolve_both(const Window &window, const OriginBuffer &origin, const TargetBuffer &target, ResolvedTarget *resolved,
                 typed::Buffer *buffer);

/// Puts or gets what has been checked. To another node it has only begun.
int move_resolved(Window &window, WindowMemory::Direction direction, const ResolvedTarget &resolved, const typed::Buffer &buffer);

/// MPI_Accumulate. To another node it has only begun.
int accumulate_now(Window &window, MPI_Op op, const OriginBuffer &origin, const TargetBuffer &target);

}  // namespace halocline::core::mpi
