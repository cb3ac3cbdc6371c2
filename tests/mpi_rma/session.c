// A program with a session of MPI and without MPI_Init: the host carries its windows and has its memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4

static MPI_Comm all_ranks(MPI_Session session) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "windows", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

/// 0 if the put of the rank before has arrived.
static long exchange(MPI_Comm comm, long *mine) {
  int rank, size;
  MPI_Win win;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Win_create(mine, sizeof *mine, 1, MPI_INFO_NULL, comm, &win);
  const long value = 100 + rank;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  return *mine - (100 + (rank + size - 1) % size);
}

int main(void) {
  MPI_Session session;
  long *mine;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
  MPI_Comm comm = all_ranks(session);
  MPI_Alloc_mem(sizeof *mine, MPI_INFO_NULL, &mine);
  *mine = -1;
  const int wrong = exchange(comm, mine) != 0;
  if (wrong) fprintf(stderr, "the put of the rank before has not arrived\n");
  MPI_Free_mem(mine);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return wrong;
}

#else

int main(void) {
  puts("skipped: this MPI has no sessions");
  return 0;
}

#endif
