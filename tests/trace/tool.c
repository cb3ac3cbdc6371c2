/* A tool of MPI's profiling interface: counts some calls, passes them on, and prints the counts in MPI_Finalize.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

static int puts_seen, fences_seen, locks_seen, starts_seen, copies_seen;

int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
            MPI_Win win) {
  puts_seen += 1;
  return PMPI_Put(origin, origin_count, origin_type, rank, disp, count, type, win);
}

int MPI_Win_fence(int assertion, MPI_Win win) {
  fences_seen += 1;
  return PMPI_Win_fence(assertion, win);
}

int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win) {
  locks_seen += 1;
  return PMPI_Win_lock(type, rank, assertion, win);
}

int MPI_Start(MPI_Request *request) {
  starts_seen += 1;
  return PMPI_Start(request);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
  copies_seen += 1;
  return PMPI_Comm_create(comm, group, made);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("tool: rank %d: MPI_Put %d, MPI_Win_fence %d, MPI_Win_lock %d, MPI_Start %d, MPI_Comm_create %d\n", rank, puts_seen, fences_seen,
         locks_seen, starts_seen, copies_seen);
  fflush(stdout);
  return PMPI_Finalize();
}
