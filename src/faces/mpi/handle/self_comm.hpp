// A communicator of this process alone, for calls that end at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace halocline::mpi {

/// Returns errors, and has none of the program's attributes. Made at the first call, never freed.
inline MPI_Comm self_comm() {
  static const MPI_Comm made = [] {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_group(MPI_COMM_SELF, &group);
    PMPI_Comm_create(MPI_COMM_SELF, group, &comm);
    PMPI_Group_free(&group);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
  }();
  return made;
}

}  // namespace halocline::mpi
