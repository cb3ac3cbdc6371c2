/* A program that reads the performance variables of its MPI (MPI_T), before and after puts on a window. It prints how many there are, how many
 * could be read, how many of those that belong to a window could be bound to this one, and how many control variables there are.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Binds the variable to the window, or to nothing, and reads it. Returns 1 if that succeeds. */
static int read_variable(MPI_T_pvar_session session, int variable, int bind, MPI_Win *win, int continuous) {
  MPI_T_pvar_handle handle;
  int count = 0, right;
  char *values;
  if (MPI_T_pvar_handle_alloc(session, variable, bind == MPI_T_BIND_MPI_WIN ? win : NULL, &handle, &count) != MPI_SUCCESS) return 0;
  values = calloc((size_t)count + 1, 64);
  right = continuous || MPI_T_pvar_start(session, handle) == MPI_SUCCESS;
  right = right && MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS;
  free(values);
  return MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS && right;
}

static void read_all(const char *when, MPI_Win *win) {
  MPI_T_pvar_session session;
  int variables = 0, unbound = 0, read = 0, of_windows = 0, bound = 0, controls = 0;
  MPI_T_cvar_get_num(&controls);
  MPI_T_pvar_get_num(&variables);
  if (MPI_T_pvar_session_create(&session) != MPI_SUCCESS) return;
  for (int v = 0; v < variables; ++v) {
    char name[256], about[256];
    int name_size = sizeof name, about_size = sizeof about, verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum words;
    if (MPI_T_pvar_get_info(v, name, &name_size, &verbosity, &class, &type, &words, about, &about_size, &bind, &readonly, &continuous,
                            &atomic) != MPI_SUCCESS)
      continue;
    unbound += bind == MPI_T_BIND_NO_OBJECT;
    of_windows += bind == MPI_T_BIND_MPI_WIN;
    if (bind == MPI_T_BIND_NO_OBJECT) read += read_variable(session, v, bind, win, continuous);
    if (bind == MPI_T_BIND_MPI_WIN) bound += read_variable(session, v, bind, win, continuous);
  }
  if (MPI_T_pvar_session_free(&session) != MPI_SUCCESS) return;
  printf("%s: %d performance variables, %d of %d read, %d of %d bound to the window, %d control variables\n", when, variables, read,
         unbound, bound, of_windows, controls);
}

int main(int argc, char **argv) {
  int provided = 0, rank = 0, ranks = 1;
  double *memory, number = 1;
  MPI_Win win;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  if (rank == 0) read_all("before", &win);
  MPI_Win_fence(0, win);
  MPI_Put(&number, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  if (rank == 0) read_all("after", &win);
  MPI_Win_free(&win);
  MPI_Finalize();
  MPI_T_finalize();
  return 0;
}
