// Makes one wrong call on a window whose errors are fatal: `fatal CASE`, as fatal.py has it. It must not reach its end. Or it ends with an
// epoch open, with status 3.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *wrong = argc > 1 ? argv[1] : "";
  char *data = nullptr;
  const char letter = 'x';
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data, &win);
  if (std::strcmp(wrong, "rank") == 0) MPI_Win_lock(MPI_LOCK_SHARED, 17, 0, win);
  MPI_Win_lock_all(0, win);
  if (std::strcmp(wrong, "range") == 0) MPI_Put(&letter, 1, MPI_CHAR, 0, 4711, 1, MPI_CHAR, win);
  if (std::strcmp(wrong, "twice") == 0) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  if (std::strcmp(wrong, "conflict") == 0)
    for (int i = 0; i < 2; ++i) MPI_Put(&letter, 1, MPI_CHAR, 0, 5, 1, MPI_CHAR, win);
  if (std::strcmp(wrong, "open") == 0) return MPI_Finalize() == MPI_SUCCESS ? 3 : 4;
  std::puts("went on");
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
