// MPI_Init and MPI_Finalize of a program that uses MPI beside OpenSHMEM, in either order. If shmem_init has started MPI, MPI_Init takes it over.
// If MPI_Finalize is called before shmem_finalize, the latter ends MPI. Everything else goes to MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "base/mpi_use.hpp"

using halocline::core::hand_mpi_over;
using halocline::core::keep_mpi;

extern "C" {

__attribute__((visibility("default"))) int MPI_Init(int *argc, char ***argv) {
  return hand_mpi_over() ? MPI_SUCCESS : PMPI_Init(argc, argv);
}

__attribute__((visibility("default"))) int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  return hand_mpi_over() ? PMPI_Query_thread(provided) : PMPI_Init_thread(argc, argv, required, provided);
}

__attribute__((visibility("default"))) int MPI_Finalize() { return keep_mpi() ? MPI_SUCCESS : PMPI_Finalize(); }

}  // extern "C"
