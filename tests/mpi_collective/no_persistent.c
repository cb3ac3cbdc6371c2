/* Takes the persistent collectives from the host MPI: for those who look for them after libhalocline_mpi, as that does, each is at address 0. So
   they are missing, as in an MPI of MPI 3.1. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define MISSING(name) __asm__(".globl " #name "\n.type " #name ", %function\n.set " #name ", 0");

MISSING(PMPI_Neighbor_alltoall_init)
MISSING(PMPI_Neighbor_alltoallv_init)
MISSING(PMPI_Neighbor_alltoallw_init)
MISSING(PMPI_Alltoallv_init)
MISSING(PMPI_Alltoallw_init)
MISSING(PMPI_Allgatherv_init)
