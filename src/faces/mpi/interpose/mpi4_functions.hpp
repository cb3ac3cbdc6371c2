// MPI-4's persistent collectives as a program declares them whose MPI has MPI 3.1: the drop-in has them all the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#if MPI_VERSION < 4
#include <halocline/mpi4.h>

extern "C" {
decltype(MPI_Neighbor_alltoall_init) PMPI_Neighbor_alltoall_init;
decltype(MPI_Neighbor_alltoallv_init) PMPI_Neighbor_alltoallv_init;
decltype(MPI_Neighbor_alltoallw_init) PMPI_Neighbor_alltoallw_init;
decltype(MPI_Alltoallv_init) PMPI_Alltoallv_init;
decltype(MPI_Alltoallw_init) PMPI_Alltoallw_init;
decltype(MPI_Allgatherv_init) PMPI_Allgatherv_init;
}
#endif
