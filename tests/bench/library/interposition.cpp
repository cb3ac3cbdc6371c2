// What it costs that libhalocline_mpi stands before the host MPI: a call that finds its window, and one that is passed on to the host.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/calls.hpp"
#include "library/rma.hpp"

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

using Flush = decltype(&MPI_Win_flush);

/// A function in the place of MPI_Win_flush that does nothing.
[[gnu::noinline]] int do_nothing(int, MPI_Win) {
  asm volatile("" ::: "memory");
  return MPI_SUCCESS;
}

/// A window in a lock_all epoch.
struct LockedWindow {
  LockedWindow(const RmaCalls &of, MPI_Comm comm) : calls(of) {
    calls.allocate(64, 1, MPI_INFO_NULL, comm, &memory, &win);
    calls.lock_all(0, win);
  }
  ~LockedWindow() {
    calls.unlock_all(win);
    calls.free(&win);
  }
  LockedWindow(const LockedWindow &) = delete;
  LockedWindow &operator=(const LockedWindow &) = delete;

  const RmaCalls &calls;
  MPI_Win win = MPI_WIN_NULL;
  void *memory = nullptr;
};

/// Nanoseconds of a flush of MPI_PROC_NULL: nothing but the call and what finds the window.
double ns_of(Flush flush, MPI_Win win, int count) {
  asm volatile("" : "+r"(flush));  // the compiler does not know which
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) flush(MPI_PROC_NULL, win);
  return (MPI_Wtime() - begin) / count * 1e9;
}

Interposition measure_one(const std::string &call, Flush without, MPI_Win win, const RmaOptions &options) {
  Interposition found{call};
  const Flush with = loaded_calls().flush;
  constexpr int kTrial = 1000;
  const double first_ns = std::max(ns_of(with, win, kTrial), 1.0);
  const int count = static_cast<int>(std::clamp(std::ceil(options.sample_ms * 1e6 / first_ns), 1.0, 1e7));
  for (int round = 0; round < options.repetitions; ++round) {
    found.without.samples.push_back(ns_of(without, win, count));
    found.with.samples.push_back(ns_of(with, win, count));
    found.cost.samples.push_back(found.with.samples.back() - found.without.samples.back());
  }
  for (Sampled *series : {&found.with, &found.without, &found.cost}) series->conclude();
  return found;
}

}  // namespace

std::vector<Interposition> measure_interposition(MPI_Comm comm, const RmaOptions &options) {
  const LockedWindow ours(loaded_calls(), comm), hosts(host_calls(), comm);
  std::vector<Interposition> all;
  if (rank_of(comm) == 0) {
    all.push_back(measure_one("finds its window", do_nothing, ours.win, options));
    all.push_back(measure_one("passed on to the host", host_calls().flush, hosts.win, options));
  }
  meet(comm);
  return all;
}

}  // namespace bench
