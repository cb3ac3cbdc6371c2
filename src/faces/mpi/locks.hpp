// The locks of passive target synchronisation, in two levels: a word per target, and one of the window for ranks that lock all targets (R.
// Gerstenberger, M. Besta, T. Hoefler: Enabling Highly Scalable Remote Memory Access Programming with MPI-3 One Sided, section 2.4).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window.hpp"

namespace halocline::core::mpi {

/// Waits until this rank holds the lock. If that fails, it has nothing of it.
Status lock_shared(Window &window, int target);
Status lock_exclusive(Window &window, int target);
Status lock_all(Window &window);

/// What was written under the lock is seen by ranks that hold it next. All accesses to other nodes are complete. Fails only if a rank of
/// another node cannot be reached.
Status unlock_shared(Window &window, int target);
Status unlock_exclusive(Window &window, int target);
Status unlock_all(Window &window);

/// The lock of accumulates that no instruction does, held for one accumulate.
Status lock_accumulates(Window &window, int target);
Status unlock_accumulates(Window &window, int target);

}  // namespace halocline::core::mpi
