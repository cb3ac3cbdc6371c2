/*
 * The few MPI calls that a Fortran program needs, for MPI libraries that come without Fortran. Communicators are the integers that
 * hlc_init takes. Called by halocline_mpi.F90 only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

static MPI_Comm comm_of(int handle) {
#ifdef MPI_ABI_VERSION
  return MPI_Comm_fromint(handle);
#else
  return MPI_Comm_f2c((MPI_Fint)handle);
#endif
}

static int handle_of(MPI_Comm comm) {
#ifdef MPI_ABI_VERSION
  return MPI_Comm_toint(comm);
#else
  return (int)MPI_Comm_c2f(comm);
#endif
}

int hlc_fortran_mpi_init(void) {
  int given;
  return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
}

int hlc_fortran_mpi_finalise(void) { return MPI_Finalize(); }
int hlc_fortran_mpi_world(void) { return handle_of(MPI_COMM_WORLD); }

int hlc_fortran_mpi_request_null(void) {
#ifdef MPI_ABI_VERSION
  return MPI_Request_toint(MPI_REQUEST_NULL);
#else
  return (int)MPI_Request_c2f(MPI_REQUEST_NULL);
#endif
}

int hlc_fortran_mpi_rank(int comm, int *rank) { return MPI_Comm_rank(comm_of(comm), rank); }
int hlc_fortran_mpi_size(int comm, int *size) { return MPI_Comm_size(comm_of(comm), size); }
int hlc_fortran_mpi_barrier(int comm) { return MPI_Barrier(comm_of(comm)); }
double hlc_fortran_mpi_wtime(void) { return MPI_Wtime(); }
void hlc_fortran_mpi_abort(int comm, int code) {
  MPI_Abort(comm_of(comm), code);
  exit(code); /* in some MPIs the call returns */
}

int hlc_fortran_mpi_split(int comm, int colour, int key, int *part) {
  MPI_Comm made;
  int code = MPI_Comm_split(comm_of(comm), colour, key, &made);
  if (code == MPI_SUCCESS) *part = handle_of(made);
  return code;
}

int hlc_fortran_mpi_comm_free(int handle) {
  MPI_Comm comm = comm_of(handle);
  return MPI_Comm_free(&comm);
}

int hlc_fortran_mpi_allgather(int comm, const double *send, int count, double *recv) {
  return MPI_Allgather(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm_of(comm));
}

int hlc_fortran_mpi_gatherv(int comm, const double *send, int count, double *recv, const int *counts, const int *offsets, int root) {
  return MPI_Gatherv(send, count, MPI_DOUBLE, recv, counts, offsets, MPI_DOUBLE, root, comm_of(comm));
}

int hlc_fortran_mpi_max(int comm, double *values, int count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, comm_of(comm));
}

int hlc_fortran_mpi_sum(int comm, double *values, int count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, comm_of(comm));
}
