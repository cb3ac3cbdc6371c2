// Why a call of MPI is refused, for the message that a program gets before an error handler ends it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <new>

namespace halocline::core::mpi {

/// Stores the reason of this call's error code for this thread. Returns the code.
[[gnu::format(printf, 2, 3)]] int refuse(int code, const char *format, ...);

/// Runs a part of a call; a failed allocation becomes MPI_ERR_NO_MEM.
template <class Part>
int with_memory(Part part) {
  try {
    return part();
  } catch (const std::bad_alloc &) {
    return refuse(MPI_ERR_NO_MEM, "this rank is out of memory");
  }
}

/// Writes function, rank, reason and the MPI's text of the code to stderr if the window's error handler ends the program, or if
/// HALOCLINE_LOG=info. `rank` is that of the window.
void explain(MPI_Win win, int rank, int code);

/// The same for a call that takes a communicator, whose error handler is called.
void explain_call(MPI_Comm comm, int code);

/// MPI_ERR_ASSERT if an assertion has a bit that windows do not define; else MPI_SUCCESS.
int check_assertion(int assertion);

/// The class of errors for a process that has ended: MPI_ERR_PROC_FAILED where the MPI has it, else MPI_ERR_OTHER.
int class_of_dead_peer();

}  // namespace halocline::core::mpi
