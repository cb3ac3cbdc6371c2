// A program of MPI RMA that knows nothing of the library: fences, post and start, locks. The rank that is its argument sleeps before each of
// these. It is launched with the drop-in before its MPI, and with a tool of the profiling interface. If it has a second argument it makes
// windows of several communicators instead.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

constexpr int kLate_ms = 20;
int rank, ranks;
bool late;

void sleep_if_late() {
  if (late) std::this_thread::sleep_for(std::chrono::milliseconds(kLate_ms));
}

void fence(MPI_Win win, int right) {
  const double number = rank;
  MPI_Win_fence(0, win);
  for (int n = 0; n < 3; ++n) {
    sleep_if_late();
    MPI_Put(&number, 1, MPI_DOUBLE, right, n, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
}

void post_and_start(MPI_Win win, int left, int right) {
  MPI_Group all, to, from;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  const double number = rank;
  sleep_if_late();
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(&number, 1, MPI_DOUBLE, right, 4, 1, MPI_DOUBLE, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
}

/// The late rank holds the lock for long.
void lock(MPI_Win win) {
  double number = rank, old = 0;
  if (!late) std::this_thread::sleep_for(std::chrono::milliseconds(kLate_ms / 4));
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Get(&old, 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, win);
  MPI_Win_flush(0, win);
  sleep_if_late();
  MPI_Accumulate(&number, 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_unlock(0, win);
}

/// Windows of copies of MPI_COMM_WORLD, whose fences take turns; then one of a copy that is made after the others were freed.
void fence_several() {
  MPI_Comm comms[3];
  MPI_Win wins[3];
  double *memory = nullptr;
  const auto make = [&](int i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, comms[i], &memory, &wins[i]);
  };
  const auto release = [&](int i) {
    MPI_Win_free(&wins[i]);
    MPI_Comm_free(&comms[i]);
  };
  make(0);
  make(1);
  for (const int i : {0, 1, 1, 0}) MPI_Win_fence(0, wins[i]);
  release(0);
  release(1);
  // Another block of memory on one rank: its objects have other addresses than those of the others.
  void *const block = rank == 0 ? std::malloc(4096) : nullptr;
  for (int n = 0; n < 4; ++n) {
    make(2);
    for (int fences = 0; fences < 2; ++fences) MPI_Win_fence(0, wins[2]);
    release(2);
  }
  std::free(block);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 2) {
    fence_several();
    MPI_Finalize();
    return 0;
  }
  late = argc > 1 && rank == std::atoi(argv[1]);
  double *memory = nullptr;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 8; ++i) memory[i] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  fence(win, (rank + 1) % ranks);
  const bool right = memory[0] == (rank + ranks - 1) % ranks;
  post_and_start(win, (rank + ranks - 1) % ranks, (rank + 1) % ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  lock(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return right ? 0 : 1;
}
