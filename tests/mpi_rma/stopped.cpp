// A rank stops (SIGSTOP) for longer than HALOCLINE_TIMEOUT, with a lock and before a fence. The others wait for it, and get no error.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

/// Stops this process; a child has it continue.
void stop_for(int seconds) {
  const pid_t mine = getpid(), child = fork();
  if (child == 0) {
    sleep(static_cast<unsigned>(seconds));
    kill(mine, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  waitpid(child, nullptr, 0);
}

int run(int rank, int seconds) {
  int *data = nullptr, wrong = 0, got = 0;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  *data = rank;
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) stop_for(seconds);
  if (rank == 0) MPI_Win_unlock(0, win);
  if (rank != 0) wrong += MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win) != MPI_SUCCESS;
  if (rank != 0) wrong += MPI_Win_unlock(0, win) != MPI_SUCCESS;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) stop_for(seconds);
  wrong += MPI_Win_fence(0, win) != MPI_SUCCESS;
  wrong += MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win) != MPI_SUCCESS;
  wrong += MPI_Win_fence(MPI_MODE_NOSUCCEED, win) != MPI_SUCCESS;
  wrong += MPI_Win_free(&win) != MPI_SUCCESS;
  return wrong + (got != 0);
}

}  // namespace

int main(int argc, char **argv) {
  const char *limit = std::getenv("HALOCLINE_TIMEOUT");
  int rank = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int wrong = run(rank, (limit ? std::atoi(limit) : 0) + 1);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("stopped: %d calls have failed\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
