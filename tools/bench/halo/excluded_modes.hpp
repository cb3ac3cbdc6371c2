// Which modes halocline-doctor has found wrong with this MPI on this host, so that they are not raced.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <string>

namespace bench {

/// Modes that must not be used, with the reason, the same on all ranks: rank 0 reads the report. file: a report of halocline-doctor; empty: the
/// one that it has kept for this MPI and host, if there is one; "none": no report, so that every mode is trusted. Throws Refusal if a file
/// was named that is no report of this MPI, or if p2p, against which all are measured, is wrong. Collective.
std::map<std::string, std::string> excluded_modes(const std::string &file, MPI_Comm comm);

}  // namespace bench
