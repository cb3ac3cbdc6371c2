// Starting and ending MPI where the program does neither: the faces of a process share it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/status.hpp"

namespace halocline::core {

/// Starts MPI unless it runs, and counts a user. Fails if it has ended. `call` is the caller's name in messages. No other thread calls
/// MPI_Init at the same time.
Status begin_mpi_use(const char *call);

/// Uncounts a user. The last one ends MPI if begin_mpi_use has started it.
void end_mpi_use();

/// Uncounts a user, and leaves MPI as it is.
void drop_mpi_use();

/// The program calls MPI_Init. True if begin_mpi_use has started MPI: then it is the program's from now on, which ends it.
bool hand_mpi_over();

/// The program calls MPI_Finalize. True while there are users: then the last of them ends MPI.
bool keep_mpi();

}  // namespace halocline::core
