// Queueing for exclusive locks, with HALOCLINE_MPI_LOCK=mcs. While a rank waits for a lock of another node, it asks for words there only once
// it is the first in the queue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// Waits until this rank is the first that wants an exclusive lock of the target. It passes the queue by if it has no place left.
Status enter_queue(Window &window, int target);
/// Lets the next rank be the first, after the lock has been released. Waits for a rank that is about to queue behind this one.
Status leave_queue(Window &window, int target);

}  // namespace halocline::core::mpi
