// Windows where /dev/shm is full, and of more bytes than there are. That is an error on all ranks, and never a window of the host MPI. It
// would take the same memory, and the program would end at the first store. Later windows work.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/library.hpp"
#include "support/mpi_test.hpp"

namespace {
/// The most bytes that a part of shared memory may have; a larger one finds /dev/shm full.
std::atomic<std::int64_t> most_bytes{INT64_MAX};
/// So many of the next calls find it full.
std::atomic<int> full_calls{0};
}  // namespace

/// In place of the C library's: the library's own calls fail where there is no room.
extern "C" [[gnu::visibility("default"), gnu::noinline]] int posix_fallocate(int file, off_t offset, off_t bytes) {
  static const auto next = reinterpret_cast<decltype(&posix_fallocate)>(dlsym(RTLD_NEXT, "posix_fallocate"));
  Dl_info caller{};
  const bool is_ours = dladdr(__builtin_return_address(0), &caller) != 0 && halocline::test::is_halocline(caller.dli_fname);
  const bool is_full = is_ours && (bytes > most_bytes || (full_calls > 0 && full_calls-- > 0));
  return is_full ? ENOSPC : next(file, offset, bytes);
}

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr MPI_Aint kSmall = 64, kLarge = 1 << 20;

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class MpiShortage : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    for (const MPI_Comm comm : {comm_, MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  void TearDown() override {
    most_bytes = INT64_MAX, full_calls = 0;
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm_);
  }
  /// What this rank gets from a call that allocates a window.
  int allocate(MPI_Aint bytes) {
    MPI_Win win = MPI_WIN_NULL;
    const int code = MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm_, &data_, &win);
    return freed(code, &win);
  }
  int allocate_shared(MPI_Aint bytes) {
    MPI_Win win = MPI_WIN_NULL;
    const int code = MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm_, &data_, &win);
    return freed(code, &win);
  }
  int create(void *base, MPI_Aint bytes) {
    MPI_Win win = MPI_WIN_NULL;
    const int code = MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, comm_, &win);
    return freed(code, &win);
  }
  int create_dynamic() {
    MPI_Win win = MPI_WIN_NULL;
    const int code = MPI_Win_create_dynamic(MPI_INFO_NULL, comm_, &win);
    return freed(code, &win);
  }
  /// Windows of the nodes' ranks together are possible.
  static bool has_one_node() {
    const char *nodes = std::getenv("HALOCLINE_FAKE_NODES");
    return !nodes || *nodes == '1';
  }

  MPI_Comm comm_ = MPI_COMM_NULL;

 private:
  static int freed(int code, MPI_Win *win) {
    if (code == MPI_SUCCESS) MPI_Win_free(win);
    return class_of(code);
  }

  char *data_ = nullptr;
};

/// The first rank alone finds no room for what it asks for. A rank that is alone on its node needs none.
TEST_F(MpiShortage, a_full_dev_shm_is_ERR_NO_MEM_on_all_ranks) {
  if (size() == 1) GTEST_SKIP() << "a rank alone needs no /dev/shm";
  ASSERT_EQ(allocate(kSmall), MPI_SUCCESS);
  most_bytes = kLarge / 2;
  EXPECT_EQ(allocate(rank() == 0 ? kLarge : kSmall), MPI_ERR_NO_MEM);
  if (has_one_node()) {
    EXPECT_EQ(allocate_shared(rank() == 0 ? kLarge : kSmall), MPI_ERR_NO_MEM);
  }
  EXPECT_EQ(allocate(kSmall), MPI_SUCCESS);
  most_bytes = INT64_MAX;
  EXPECT_EQ(allocate(kLarge), MPI_SUCCESS);
}

/// The words of a window need some room as well. What is kept of the first window is too small for the second, and goes.
TEST_F(MpiShortage, no_room_at_all_is_ERR_NO_MEM_for_windows_of_every_kind) {
  if (size() == 1) GTEST_SKIP() << "a rank alone needs no /dev/shm";
  std::vector<char> mine(kSmall);
  ASSERT_EQ(allocate(kSmall), MPI_SUCCESS);
  most_bytes = 0;
  EXPECT_EQ(allocate(kLarge), MPI_ERR_NO_MEM);
  EXPECT_EQ(create(mine.data(), kSmall), MPI_ERR_NO_MEM);
  EXPECT_EQ(create_dynamic(), MPI_ERR_NO_MEM);
}

TEST_F(MpiShortage, what_is_kept_of_ended_windows_makes_room_where_there_is_none) {
  if (size() == 1) GTEST_SKIP() << "a rank alone needs no /dev/shm";
  ASSERT_EQ(allocate(kSmall), MPI_SUCCESS);
  full_calls = 1;
  EXPECT_EQ(allocate(kLarge), MPI_SUCCESS);
  full_calls = 0;
}

TEST_F(MpiShortage, a_first_window_without_room_leaves_the_next_one_to_the_engine) {
  if (size() == 1) GTEST_SKIP() << "a rank alone needs no /dev/shm";
  most_bytes = 0;
  EXPECT_EQ(allocate(kSmall), MPI_ERR_NO_MEM);
  most_bytes = INT64_MAX;
  EXPECT_EQ(allocate(kSmall), MPI_SUCCESS);
  EXPECT_EQ(create_dynamic(), MPI_SUCCESS);
}

TEST_F(MpiShortage, more_bytes_than_memory_has_are_ERR_NO_MEM_on_all_ranks) {
  for (const MPI_Aint bytes :
       {INT64_MAX, INT64_MAX - 4, INT64_MAX - 4096, INT64_MAX - 100'000, std::int64_t{1} << 62, std::int64_t{1} << 50}) {
    EXPECT_EQ(allocate(rank() == 0 ? bytes : kSmall), MPI_ERR_NO_MEM) << bytes;
    EXPECT_EQ(allocate_shared(rank() == 0 ? bytes : kSmall), MPI_ERR_NO_MEM) << bytes;
  }
  EXPECT_EQ(allocate(kSmall), MPI_SUCCESS);
}

TEST_F(MpiShortage, allocations_that_no_memory_has_are_ERR_NO_MEM) {
  for (const MPI_Aint bytes : {INT64_MAX, INT64_MAX - 4096, std::int64_t{1} << 62, std::int64_t{1} << 50}) {
    void *data = nullptr;
    EXPECT_EQ(class_of(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &data)), MPI_ERR_NO_MEM) << bytes;
  }
}

TEST_F(MpiShortage, memory_that_one_rank_does_not_give_is_an_error_of_all) {
  std::vector<char> mine(kSmall);
  MPI_Win win = MPI_WIN_NULL;
  void *data = nullptr;
  EXPECT_EQ(create(rank() == 0 ? nullptr : mine.data(), kSmall), MPI_ERR_ARG);
  EXPECT_EQ(create(mine.data(), rank() == 0 ? INT64_MAX : kSmall), MPI_ERR_SIZE);
  EXPECT_EQ(class_of(MPI_Win_allocate(kSmall, 1, MPI_INFO_NULL, comm_, rank() == 0 ? nullptr : &data, &win)), MPI_ERR_ARG);
  EXPECT_EQ(create(rank() == 0 ? nullptr : mine.data(), rank() == 0 ? 0 : kSmall), MPI_SUCCESS);
}

}  // namespace
