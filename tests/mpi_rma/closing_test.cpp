// Windows and communicators end while other ranks still do their last steps. On some networks these wait for answers, and with
// HALOCLINE_PROGRESS=helper for a process that the communicator's first rank has started.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

/// A communicator of all ranks, or of every second one, with a window that answers errors.
class Made {
 public:
  explicit Made(int colors) {
    MPI_Comm_split(MPI_COMM_WORLD, rank() % colors, size() - rank(), &comm);
    make_window();
  }
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;

  /// Each rank adds 1 to the first number of each; returns the number of calls that have failed.
  int use() const {
    const std::int64_t one = 1;
    std::int64_t before = 0;
    int failed = MPI_Win_lock_all(0, win) != MPI_SUCCESS ? 1 : 0, ranks = 0;
    MPI_Comm_size(comm, &ranks);
    for (int target = 0; target < ranks; ++target)
      failed += MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, 0, MPI_SUM, win) != MPI_SUCCESS ? 1 : 0;
    return failed + (MPI_Win_unlock_all(win) != MPI_SUCCESS ? 1 : 0);
  }

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;

 private:
  void make_window() {
    std::int64_t *mine = nullptr;
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    *mine = 0;
    MPI_Barrier(comm);
  }
};

/// A helper process per communicator takes long to start.
int times() {
  const char *progress = std::getenv("HALOCLINE_PROGRESS");
  return progress && std::strcmp(progress, "helper") == 0 ? 1 : 4;
}

TEST(MpiClosing, a_window_and_its_communicator_end_while_others_do_their_last_steps) {
  int failed = 0;
  for (int i = 0; i < times(); ++i) {
    Made made(1);
    failed += made.use();
    failed += MPI_Win_free(&made.win) != MPI_SUCCESS ? 1 : 0;
    MPI_Comm_free(&made.comm);
  }
  EXPECT_EQ(failed, 0);
}

TEST(MpiClosing, the_communicator_may_end_before_its_window) {
  int failed = 0;
  for (int i = 0; i < times(); ++i) {
    Made made(1 + i % 2);
    MPI_Comm freed = made.comm;
    failed += made.use();
    MPI_Comm_free(&freed);
    failed += MPI_Win_free(&made.win) != MPI_SUCCESS ? 1 : 0;
  }
  EXPECT_EQ(failed, 0);
}

TEST(MpiClosing, others_go_on_with_windows_of_another_communicator) {
  Made first(1), second(1);
  EXPECT_EQ(first.use() + second.use(), 0);
  EXPECT_EQ(MPI_Win_free(&first.win), MPI_SUCCESS);
  MPI_Comm_free(&first.comm);
  EXPECT_EQ(second.use(), 0);
  EXPECT_EQ(MPI_Win_free(&second.win), MPI_SUCCESS);
  MPI_Comm_free(&second.comm);
}

TEST(MpiClosing, a_rank_that_frees_a_communicator_waits_for_no_other) {
  if (size() == 1) GTEST_SKIP() << "it takes another rank";
  Made made(1);
  EXPECT_EQ(made.use(), 0);
  EXPECT_EQ(MPI_Win_free(&made.win), MPI_SUCCESS);
  if (rank() > 0) MPI_Recv(nullptr, 0, MPI_INT, rank() - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_free(&made.comm);
  if (rank() + 1 < size()) MPI_Send(nullptr, 0, MPI_INT, rank() + 1, 0, MPI_COMM_WORLD);
}

/// The last one, as MPI_Finalize follows.
TEST(MpiClosingLast, a_window_of_all_ranks_is_freed_at_the_very_end) {
  Made made(1);
  EXPECT_EQ(made.use(), 0);
  EXPECT_EQ(MPI_Win_free(&made.win), MPI_SUCCESS);
}

}  // namespace
