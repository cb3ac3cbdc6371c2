/*
 * Names under which programs of Global Arrays and ARMCI call MPI, so that they could be built with other libraries for messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_ARMCI_MP3_H
#define HALOCLINE_ARMCI_MP3_H

#include <mpi.h>

#define MP_INIT(argc, argv) MPI_Init(&(argc), &(argv))
#define MP_FINALIZE() MPI_Finalize()
#define MP_BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#define MP_PROCS(pointer) MPI_Comm_size(MPI_COMM_WORLD, pointer)
#define MP_MYID(pointer) MPI_Comm_rank(MPI_COMM_WORLD, pointer)
#define MP_TIMER() MPI_Wtime()

#define ARMCI_INIT(argc, argv) ARMCI_Init()
#define GA_INIT(argc, argv) GA_Initialize()

#endif
