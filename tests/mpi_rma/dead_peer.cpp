// One launch of dead_peer.py: `dead_peer VICTIM DIRECTORY`. A rank dies in the middle of several epochs. Each wait of the others for it
// answers an error through the window's error handler; then they free the windows. Each writes into DIRECTORY/<rank> what was wrong, or
// `right` and how long the slowest call took.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/mpix.h>
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
  MPI_Win fence, locked, shared, posted, started, freed, created, notified;
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

/// Of private memory, which the kernel copies; in an epoch for all ranks.
MPI_Win create_window() {
  static char memory[64];
  MPI_Win win = MPI_WIN_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create(memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create_errhandler(handle, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_lock_all(0, win);
  return win;
}

/// With notifications, of which the victim never sends any.
MPI_Win make_notified_window() {
  MPI_Win win = make_window();
  if (MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 3) != MPI_SUCCESS) std::abort();
  return win;
}

MPI_Group group_of(int rank) {
  MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}

/// It holds locks, and has started an epoch that it does not complete.
[[noreturn]] void die(const Windows &windows, int size) {
  const char letter = 'x';
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows.locked);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, windows.shared);
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
  for (int other = 1; other < size; ++other) MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
  void expect_right(const char *what, const std::function<int()> &call) {
    const int code = class_of(call());
    if (code != MPI_SUCCESS) fault += std::string(what) + " answers class " + std::to_string(code) + "; ";
  }
};

/// A lock that fails keeps nothing: not the window's part of it either, so others may lock all targets.
void lock_in_vain(Survivor &here, MPI_Win win, MPI_Comm survivors) {
  here.expect("MPI_Win_lock of a held target", true, [&] { return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); });
  MPI_Barrier(survivors);
  here.expect_right("MPI_Win_lock_all after a lock that has failed", [&] { return MPI_Win_lock_all(0, win); });
  MPI_Win_unlock_all(win);  // fails where it knows that one of the targets is lost
}

/// A start that fails takes no posts: that of the last rank is there for the next start. All that is waited for has happened by then, as
/// waits fail where a process of the node has ended.
void start_in_vain(Survivor &here, const Windows &windows, int victim, MPI_Comm survivors) {
  int me = 0, last = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &last);
  last -= 1;
  const char letter = 'y';
  const MPI_Group first = group_of(0), alive = group_of(last), dead = group_of(victim);
  MPI_Group both = MPI_GROUP_NULL;
  MPI_Group_union(alive, dead, &both);
  if (me == last) here.expect_right("MPI_Win_post", [&] { return MPI_Win_post(first, 0, windows.started); });
  MPI_Barrier(survivors);
  if (me == 0) {
    here.expect("MPI_Win_start to both", true, [&] { return MPI_Win_start(both, 0, windows.started); });
    here.expect_right("MPI_Win_start after one that has failed", [&] { return MPI_Win_start(alive, 0, windows.started); });
    here.expect_right("MPI_Put", [&] { return MPI_Put(&letter, 1, MPI_CHAR, last, 0, 1, MPI_CHAR, windows.started); });
    here.expect_right("MPI_Win_complete", [&] { return MPI_Win_complete(windows.started); });
  }
  MPI_Barrier(survivors);
  if (me == last) here.expect_right("MPI_Win_wait for a live rank", [&] { return MPI_Win_wait(windows.started); });
}

/// Accesses to memory that is gone. Those to other nodes only begin here.
void access_in_vain(Survivor &here, MPI_Win win, int victim) {
  char letter = 'z';
  if (std::getenv("HALOCLINE_FAKE_NODES")) return;
  here.expect("MPI_Put to created memory", true, [&] { return MPI_Put(&letter, 1, MPI_CHAR, victim, 0, 1, MPI_CHAR, win); });
  here.expect("MPI_Get from created memory", true, [&] { return MPI_Get(&letter, 1, MPI_CHAR, victim, 0, 1, MPI_CHAR, win); });
  const auto add = [&] { return MPI_Accumulate(&letter, 1, MPI_CHAR, victim, 0, 1, MPI_CHAR, MPI_SUM, win); };
  here.expect("MPI_Accumulate to created memory", true, add);
}

/// A wait for a notification fails, and so does a program that only tests.
void await_notifications_in_vain(Survivor &here, MPI_Win win, int victim) {
  MPIX_Notify of_victim = MPIX_NOTIFY_NULL, of_any = MPIX_NOTIFY_NULL;
  int flag = 0, found = 0;
  MPIX_Win_notify_init(victim, 0, 1, win, &of_victim);
  MPIX_Win_notify_init(MPI_ANY_SOURCE, MPI_ANY_TAG, 1, win, &of_any);
  MPIX_Notify_start(of_victim);
  MPIX_Notify_start(of_any);
  const auto test = [&](const std::function<int()> &call) {
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && !flag) code = call();
    return code;
  };
  here.expect("MPIX_Notify_wait", true, [&] { return MPIX_Notify_wait(of_victim, MPI_STATUS_IGNORE); });
  here.expect("MPIX_Notify_wait for any rank", true, [&] { return MPIX_Notify_wait(of_any, MPI_STATUS_IGNORE); });
  here.expect("MPIX_Notify_test", true, [&] { return test([&] { return MPIX_Notify_test(of_victim, &flag, MPI_STATUS_IGNORE); }); });
  here.expect("MPIX_Win_notify_waitsome", true, [&] { return MPIX_Win_notify_waitsome(win, 0, 3, &found); });
  here.expect("MPIX_Win_notify_testsome", true, [&] { return test([&] { return MPIX_Win_notify_testsome(win, 0, 3, &flag, &found); }); });
  here.expect_right("MPIX_Notify_free", [&] { return MPIX_Notify_free(&of_victim); });
  here.expect_right("MPIX_Notify_free", [&] { return MPIX_Notify_free(&of_any); });
}

std::string survive(Windows windows, int victim, int last, MPI_Comm survivors) {
  Survivor here;
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Group dead = group_of(victim);
  here.expect("MPI_Win_fence", true, [&] { return MPI_Win_fence(0, windows.fence); });
  here.expect("MPI_Win_lock", true, [&] { return MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, windows.locked); });
  here.expect("MPI_Win_lock_all", true, [&] { return MPI_Win_lock_all(0, windows.locked); });
  lock_in_vain(here, windows.shared, survivors);
  if (me == last) here.expect("MPI_Win_wait", true, [&] { return MPI_Win_wait(windows.posted); });
  here.expect("MPI_Win_start", true, [&] { return MPI_Win_start(dead, 0, windows.started); });
  start_in_vain(here, windows, victim, survivors);
  access_in_vain(here, windows.created, victim);
  await_notifications_in_vain(here, windows.notified, victim);
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
  const Windows windows{make_window(), make_window(), make_window(),   make_window(),
                        make_window(), make_window(), create_window(), make_notified_window()};
  MPI_Comm survivors = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == victim ? MPI_UNDEFINED : 0, rank, &survivors);
  MPI_Group dying = group_of(victim);
  if (rank != victim) MPI_Win_post(dying, 0, windows.posted);
  if (rank == victim) die(windows, size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(nullptr, 0, MPI_INT, victim, 0, MPI_COMM_WORLD);  // this rank needs nothing of the victim any more
  report.write(survive(windows, victim, size - 1, survivors));
  report.await_others(size, victim);
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
