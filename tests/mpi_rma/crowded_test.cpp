// Ranks that share cores let each other run while they wait inside the host MPI; ranks with a core each lose no time to that.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "support/mpi_test.hpp"

namespace {
std::atomic<int> yields_of_library{0};
}

/// In place of the C library's: counts the calls by the drop-in.
extern "C" [[gnu::visibility("default")]] int sched_yield() noexcept {
  Dl_info caller{};
  if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname && std::strstr(caller.dli_fname, "libhalocline"))
    ++yields_of_library;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

bool is_last() { return halocline::test::rank() == halocline::test::size() - 1; }

/// How often this rank lets others run while it waits for the last one in a barrier of the host.
int yields_in_barrier(MPI_Comm comm) {
  MPI_Win win = MPI_WIN_NULL;
  void *base = nullptr;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &base, &win);
  yields_of_library = 0;
  if (is_last()) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  MPI_Barrier(comm);
  const int counted = yields_of_library;
  MPI_Win_free(&win);
  return counted;
}

/// The affinity of this process for as long as it lives: one core, the same for all ranks.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    moved_ = sched_setaffinity(0, sizeof first, &first) == 0;
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore &) = delete;
  OneCore &operator=(const OneCore &) = delete;
  bool moved() const { return moved_; }

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

MPI_Comm duplicate() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

TEST(MpiHostWait, gives_no_core_away_where_each_rank_has_one) {
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  if (CPU_COUNT(&cores) < halocline::test::size()) GTEST_SKIP() << "there are fewer cores than ranks";
  MPI_Comm comm = duplicate();
  EXPECT_EQ(yields_in_barrier(comm), 0);
  MPI_Comm_free(&comm);
}

TEST(MpiHostWait, lets_others_run_where_ranks_share_cores) {
  if (!dlsym(RTLD_DEFAULT, "MPIX_Async_start") && !dlsym(RTLD_DEFAULT, "opal_progress_register"))
    GTEST_SKIP() << "this MPI lets nobody take part in its progress";
  const OneCore core;
  if (!core.moved()) GTEST_SKIP() << "processes may not choose their cores here";
  MPI_Comm comm = duplicate();
  // A rank that others keep from the core may be the last.
  int yields = 0, all_yield = 0;
  for (int tries = 0; tries < 10 && !all_yield; ++tries) {
    yields = std::max(yields, yields_in_barrier(comm));
    all_yield = is_last() || yields > 0;
    MPI_Allreduce(MPI_IN_PLACE, &all_yield, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  }
  EXPECT_TRUE(is_last() || yields > 0);
  MPI_Comm_free(&comm);
}

}  // namespace
