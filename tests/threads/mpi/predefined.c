/* What mpi.h only declares: the objects behind Open MPI's predefined handles, which nothing looks into because their addresses are the
   handles, and MPICH's MPI_UNWEIGHTED. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define OBJECT(name) char name[16];

OBJECT(ompi_mpi_comm_null)
OBJECT(ompi_mpi_comm_world)
OBJECT(ompi_mpi_group_null)
OBJECT(ompi_mpi_win_null)
OBJECT(ompi_mpi_info_null)
OBJECT(ompi_request_null)
OBJECT(ompi_mpi_errors_return)
OBJECT(ompi_mpi_datatype_null)
OBJECT(ompi_mpi_byte)
OBJECT(ompi_mpi_char)
OBJECT(ompi_mpi_int)
OBJECT(ompi_mpi_double)
OBJECT(ompi_mpi_int64_t)
OBJECT(ompi_mpi_uint64_t)
OBJECT(ompi_mpi_long_long_int)
OBJECT(ompi_mpi_op_sum)
OBJECT(ompi_mpi_op_max)
OBJECT(ompi_mpi_op_min)
OBJECT(ompi_mpi_op_bor)

int *const MPI_UNWEIGHTED = 0;
