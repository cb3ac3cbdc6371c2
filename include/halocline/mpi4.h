/* Persistent collectives of MPI 4 for programs whose MPI has MPI 3.1, as Open MPI 5.0: libhalocline_mpi has them under any MPI. Where
   mpi.h declares them itself this header declares nothing. Link libhalocline_mpi before the MPI; without it the program cannot be linked.

   SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALOCLINE_MPI4_H
#define HALOCLINE_MPI4_H

#include <mpi.h>

#if MPI_VERSION < 4

#ifdef __cplusplus
extern "C" {
#endif

/** MPI 4.1, section 8.9.1. Collective; it may wait for the other ranks. The request is started by MPI_Start or MPI_Startall, and freed by
    MPI_Request_free. No info key is known. */
int MPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
/** The same for blocks of unequal lengths. */
int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request);
/** The same for blocks of any datatypes. */
int MPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm, MPI_Info info, MPI_Request *request);

/** MPI 4.1, section 6.13. As MPI_Neighbor_alltoallv_init, among all ranks. sendbuf may be MPI_IN_PLACE. */
int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request);
/** The same for blocks of any datatypes; displacements are bytes. */
int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                       const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                       MPI_Request *request);
/** Each rank sends one block to all. sendbuf may be MPI_IN_PLACE. */
int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                        const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif

#endif
