// Errors that come back to the caller, by handlers of our own that keep the last one: an MPI may take MPI_ERRORS_RETURN for something else
// (probe errors/return), and would end every probe in which a call may fail. With such a handler MPICH 5.0.2 returns MPI_SUCCESS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace doctor {

void return_comm_errors(MPI_Comm comm);
void return_window_errors(MPI_Win window);
/// The error of the call that has just returned this code, or MPI_SUCCESS.
int error_of(int code);

}  // namespace doctor
