// Synchronisation of windows of several nodes: every word is reached by the engine's operations, which are atomic with each other on the node
// and beyond it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window.hpp"

namespace halocline::core::mpi::far {

/// The locks of locks.hpp. A rank that finds one taken tries again, after a time that doubles up to a limit.
Status lock_shared(Window &window, int target);
Status lock_exclusive(Window &window, int target);
Status lock_all(Window &window);
Status unlock_shared(Window &window, int target);
Status unlock_exclusive(Window &window, int target);
Status unlock_all(Window &window);
Status lock_accumulates(Window &window, int target);
Status unlock_accumulates(Window &window, int target);

/// Adds 1 to a word of 32 bits at an offset of a rank's control words; leave() sends all that has been added.
Status count_event(Window &window, int rank, std::int64_t offset);
Status leave(Window &window);

}  // namespace halocline::core::mpi::far
