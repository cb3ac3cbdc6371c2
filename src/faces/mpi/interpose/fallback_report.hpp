// What the drop-in reports to its user: windows that it leaves to the host MPI, with the reason of each, and their numbers at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

namespace halocline::core::mpi {

/// False in a program that has only sessions of MPI: there is no MPI_COMM_WORLD.
bool has_world();

/// Writes a line to stderr if HALOCLINE_LOG=info.
[[gnu::format(printf, 1, 2)]] void inform(const char *format, ...);

/// Counts a window that the engine carries.
void count_carried(const char *call);
/// Counts one that it leaves to the host. True if it may: with HALOCLINE_MPI_STRICT=1 that is an error, which is written to stderr.
bool may_leave_to_host(const char *call, const std::string &reason);
/// Writes the numbers since the last call, if HALOCLINE_LOG=info. Called at the end of MPI_Finalize, and when the process ends.
void summarise();
/// Lines that are written after MPI has ended name this rank, too. Called while MPI_COMM_WORLD is there.
void remember_rank();

}  // namespace halocline::core::mpi
