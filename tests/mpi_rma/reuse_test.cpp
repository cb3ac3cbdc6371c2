// Windows that follow others of the same ranks, of any kind and size. Nothing of those is left but their memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

enum class Origin { allocated, shared, created, dynamic };

/// Bytes of a rank in a round; all ranks know those of all.
MPI_Aint bytes_of(unsigned round, int of, bool is_equal) {
  std::mt19937 random(round * 1000u + (is_equal ? 999u : static_cast<unsigned>(of)));
  const MPI_Aint classes[] = {0, 8, 4096, 70'000, 300'000};
  return classes[random() % 5] / 8 * 8;
}

/// A window in which each rank has its bytes.
class Made {
 public:
  Made(unsigned round, Origin kind, bool is_equal) : kind_(kind), round_(round), is_equal_(is_equal) {
    const MPI_Aint bytes = of(rank());
    own_.assign(static_cast<std::size_t>(bytes / 8 + 1), 0);
    data_ = own_.data();
    if (kind == Origin::allocated) MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &data_, &win_);
    if (kind == Origin::shared) MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &data_, &win_);
    if (kind == Origin::created) MPI_Win_create(data_, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
    if (kind == Origin::dynamic) MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
    if (kind == Origin::dynamic && bytes > 0) MPI_Win_attach(win_, data_, bytes);
    MPI_Aint base = 0;
    MPI_Get_address(data_, &base);
    bases_.resize(static_cast<std::size_t>(size()));
    MPI_Allgather(&base, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    if (bytes > 0) std::memset(data_, 0, static_cast<std::size_t>(bytes));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Made() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind_ == Origin::dynamic && of(rank()) > 0) MPI_Win_detach(win_, data_);
    MPI_Win_free(&win_);
  }
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;

  /// All ranks add to the first and the last number of each, in three kinds of epochs.
  void use() {
    MPI_Win_fence(0, win_);
    for (int target = 0; target < size(); ++target) add(target);
    MPI_Win_fence(0, win_);
    for (int target = 0; target < size(); ++target) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win_);
      add(target);
      MPI_Win_unlock(target, win_);
    }
    MPI_Win_lock_all(0, win_);
    for (int target = 0; target < size(); ++target) add(target);
    MPI_Win_unlock_all(win_);
    MPI_Barrier(MPI_COMM_WORLD);
    const MPI_Aint numbers = of(rank()) / 8;
    MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, win_);
    const std::int64_t sum = 3 * static_cast<std::int64_t>(size()) * (size() + 1) / 2;
    if (numbers > 0) {
      EXPECT_EQ(data_[0], numbers == 1 ? 2 * sum : sum) << "round " << round_;
      EXPECT_EQ(data_[numbers - 1], numbers == 1 ? 2 * sum : sum) << "round " << round_;
    }
    MPI_Win_unlock(rank(), win_);
  }

 private:
  MPI_Aint of(int one) const { return bytes_of(round_, one, is_equal_); }
  void add(int target) {
    const MPI_Aint numbers = of(target) / 8;
    if (numbers == 0) return;
    const std::int64_t mine = rank() + 1;
    for (const MPI_Aint at : {MPI_Aint{0}, numbers - 1}) {
      const MPI_Aint place = kind_ == Origin::dynamic ? MPI_Aint_add(bases_[static_cast<std::size_t>(target)], 8 * at) : at;
      MPI_Accumulate(&mine, 1, MPI_INT64_T, target, place, 1, MPI_INT64_T, MPI_SUM, win_);
    }
    MPI_Win_sync(win_);
  }

  Origin kind_;
  unsigned round_;
  bool is_equal_;
  MPI_Win win_ = MPI_WIN_NULL;
  std::int64_t *data_ = nullptr;
  std::vector<std::int64_t> own_;
  std::vector<MPI_Aint> bases_;
};

bool has_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  int ranks = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  return halocline::test::everyone(ranks == size()) && !std::getenv("HALOCLINE_FAKE_NODES");
}

TEST(MpiReuse, windows_follow_each_other_whatever_their_kinds_and_sizes) {
  const bool shares = has_one_node();
  std::mt19937 random(7);
  for (unsigned round = 0; round < 60; ++round) {
    const auto kind = [&] {
      const auto drawn = static_cast<Origin>(random() % 4);
      return drawn == Origin::shared && !shares ? Origin::allocated : drawn;
    };
    const bool is_equal = random() % 2 == 0, has_second = random() % 3 == 0;
    Made first(round, kind(), is_equal);
    first.use();
    if (!has_second) continue;
    Made second(round + 500, kind(), !is_equal);
    second.use();
  }
}

/// Bytes of this process that are in memory.
std::int64_t resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  const int read = file ? std::fscanf(file, "%ld %ld", &pages, &resident) : 0;
  if (file) std::fclose(file);
  return read == 2 ? std::int64_t{resident} * sysconf(_SC_PAGESIZE) : 0;
}

/// The address of a window's memory, and what the process has in memory once the window is freed.
struct Ended {
  const void *data;
  std::int64_t resident;
};

Ended make_and_free(MPI_Comm comm, MPI_Aint bytes) {
  char *data = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &data, &win);
  std::memset(data, 1, static_cast<std::size_t>(bytes));
  MPI_Win_free(&win);
  return {data, resident_bytes()};
}

TEST(MpiReuse, small_memory_is_kept_for_the_next_window_and_large_memory_is_given_back) {
  constexpr MPI_Aint kSmall = 60'000, kLarge = MPI_Aint{64} << 20;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const Ended first = make_and_free(comm, kSmall), second = make_and_free(comm, kSmall - 8), large = make_and_free(comm, kLarge);
  EXPECT_EQ(first.data, second.data);
  EXPECT_LT(large.resident - second.resident, kLarge / 4);
  MPI_Comm_free(&comm);
}

TEST(MpiReuse, a_process_keeps_no_more_than_64_MiB_of_all_communicators) {
  constexpr int kComms = 40;
  constexpr MPI_Aint kBytes = MPI_Aint{4} << 20;
  std::vector<MPI_Comm> comms(kComms);
  for (MPI_Comm &comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const std::int64_t before = resident_bytes();
  Ended last{};
  for (const MPI_Comm comm : comms) last = make_and_free(comm, kBytes);
  EXPECT_LT(last.resident - before, (std::int64_t{64} << 20) + (std::int64_t{kComms} << 19));
  for (MPI_Comm &comm : comms) MPI_Comm_free(&comm);
}

}  // namespace
