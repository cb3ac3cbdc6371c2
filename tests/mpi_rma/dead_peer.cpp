// One launch of dead_peer.py: `dead_peer VICTIM DIRECTORY`. A rank dies in the middle of several epochs. Each wait of the others for it
// answers an error through the window's error handler; then they free the windows. Each writes into DIRECTORY/<rank> what was wrong, or
// `right` and how long the slowest call took.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "failure/report.hpp"

namespace {

/// What the drop-in names a dead peer by.
int expected_class() {
#if defined(MPI_ERR_PROC_FAILED)
  return MPI_ERR_PROC_FAILED;
#elif defined(MPIX_ERR_PROC_FAILED)
  return MPIX_ERR_PROC_FAILED;
#else
  return MPI_ERR_OTHER;
#endif
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

int handled = 0;
void handle(MPI_Win *, int *, ...) { handled += 1; }

struct Windows {
  MPI_Win fence, locked, posted, started, freed;
};

MPI_Win make_window() {
  MPI_Win win = MPI_WIN_NULL;
  void *data = nullptr;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data, &win);
  MPI_Win_create_errhandler(handle, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Errhandler_free(&handler);
  return win;
}

MPI_Group group_of(int rank) {
  MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}

/// It holds a lock, and has started an epoch that it does not complete.
[[noreturn]] void die(const Windows &windows, int size) {
  const char letter = 'x';
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows.locked);
  for (int rank = 0; rank < size; ++rank) {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (rank == me) continue;
    MPI_Group other = group_of(rank);
    MPI_Win_start(other, 0, windows.posted);
    MPI_Put(&letter, 1, MPI_CHAR, rank, 0, 1, MPI_CHAR, windows.posted);
    if (rank != size - 1) MPI_Win_complete(windows.posted);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

struct Survivor {
  std::string fault;
  double slowest = 0;

  void expect(const char *what, bool has_handler, const std::function<int()> &call) {
    const int before = handled;
    const double start = MPI_Wtime();
    const int code = class_of(call());
    slowest = MPI_Wtime() - start > slowest ? MPI_Wtime() - start : slowest;
    if (code != expected_class()) fault += std::string(what) + " answers class " + std::to_string(code) + "; ";
    if (has_handler && handled != before + 1) fault += std::string(what) + " has not called the handler; ";
  }
};

std::string survive(Windows windows, int victim, bool is_last) {
  Survivor here;
  MPI_Group dead = group_of(victim);
  here.expect("MPI_Win_fence", true, [&] { return MPI_Win_fence(0, windows.fence); });
  here.expect("MPI_Win_lock", true, [&] { return MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, windows.locked); });
  here.expect("MPI_Win_lock_all", true, [&] { return MPI_Win_lock_all(0, windows.locked); });
  if (is_last) here.expect("MPI_Win_wait", true, [&] { return MPI_Win_wait(windows.posted); });
  here.expect("MPI_Win_start", true, [&] { return MPI_Win_start(dead, 0, windows.started); });
  here.expect("MPI_Win_allocate", false, [&] {
    void *data = nullptr;
    MPI_Win late = MPI_WIN_NULL;
    return MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data, &late);
  });
  here.expect("MPI_Win_free", true, [&] { return MPI_Win_free(&windows.freed); });
  return here.fault.empty() ? "right, " + std::to_string(here.slowest) + " s" : here.fault;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int victim = std::atoi(argv[1]);
  int rank = 0, size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const halocline::test::Report report(argv[2], rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Windows windows{make_window(), make_window(), make_window(), make_window(), make_window()};
  MPI_Group dying = group_of(victim);
  if (rank != victim) MPI_Win_post(dying, 0, windows.posted);
  if (rank == victim) die(windows, size);
  MPI_Barrier(MPI_COMM_WORLD);
  report.write(survive(windows, victim, rank == size - 1));
  report.await_others(size, victim);
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
