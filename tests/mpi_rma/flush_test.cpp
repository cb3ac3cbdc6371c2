// What a flush orders: a put or an accumulate before what the same rank gets later. A processor lets loads pass stores that wait.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

/// By which call a rank writes to the other one.
enum class Write { put, accumulate, long_accumulate, fetch_and_op, compare_and_swap };

/// A window of two ranks. Word 0: the round that the other rank has reached. The others: what it has written in each round.
class Crossing {
 public:
  static constexpr int kLong = 4;

  explicit Crossing(MPI_Comm comm, int rounds) : other_(1 - halocline::test::rank()) {
    MPI_Win_allocate(static_cast<MPI_Aint>(sizeof(std::int64_t)) * (rounds + kLong), sizeof(std::int64_t), MPI_INFO_NULL, comm, &mine_,
                     &win_);
    for (int i = 0; i < rounds + kLong; ++i) mine_[i] = 0;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win_);
  }
  ~Crossing() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  Crossing(const Crossing &) = delete;
  Crossing &operator=(const Crossing &) = delete;

  void meet(std::int64_t round) const {
    put(round, 0);
    while (get(0) < round) continue;
  }
  void put(std::int64_t value, int word) const {
    MPI_Put(&value, 1, MPI_INT64_T, other_, word, 1, MPI_INT64_T, win_);
    MPI_Win_flush(other_, win_);
  }
  /// Makes a word that is 0 into 1.
  void write(Write how, int word) const {
    const std::int64_t one = 1, zeros[kLong]{};
    std::int64_t ones[kLong] = {1}, old = 0;
    switch (how) {
      case Write::put: MPI_Put(&one, 1, MPI_INT64_T, other_, word, 1, MPI_INT64_T, win_); break;
      case Write::accumulate: MPI_Accumulate(&one, 1, MPI_INT64_T, other_, word, 1, MPI_INT64_T, MPI_SUM, win_); break;
      case Write::long_accumulate: MPI_Accumulate(ones, kLong, MPI_INT64_T, other_, word, kLong, MPI_INT64_T, MPI_SUM, win_); break;
      case Write::fetch_and_op: MPI_Fetch_and_op(&one, &old, MPI_INT64_T, other_, word, MPI_SUM, win_); break;
      case Write::compare_and_swap: MPI_Compare_and_swap(&one, zeros, &old, MPI_INT64_T, other_, word, win_); break;
    }
    MPI_Win_flush(other_, win_);
  }
  std::int64_t get(int word) const {
    std::int64_t found = 0;
    MPI_Get(&found, 1, MPI_INT64_T, 1 - other_, word, 1, MPI_INT64_T, win_);
    MPI_Win_flush(1 - other_, win_);
    return found;
  }

 private:
  int other_;
  std::int64_t *mine_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

class MpiFlush : public testing::TestWithParam<Write> {};

TEST_P(MpiFlush, ends_a_write_before_the_next_get_begins) {
  if (halocline::test::size() != 2) GTEST_SKIP() << "it takes two ranks";
  const int rounds = std::thread::hardware_concurrency() >= 2 ? 5000 : 50;
  std::vector<int> seen(static_cast<std::size_t>(rounds));
  {
    const Crossing crossing(MPI_COMM_WORLD, rounds);
    for (int round = 1; round <= rounds; ++round) {
      crossing.meet(round);
      crossing.write(GetParam(), round);
      seen[static_cast<std::size_t>(round - 1)] = static_cast<int>(crossing.get(round));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // Each has written before it looked: at least one has seen the other's.
  MPI_Allreduce(MPI_IN_PLACE, seen.data(), rounds, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int missed = 0;
  for (const int both : seen) missed += both == 0 ? 1 : 0;
  EXPECT_EQ(missed, 0) << "rounds of " << rounds;
}

INSTANTIATE_TEST_SUITE_P(All, MpiFlush,
                         testing::Values(Write::put, Write::accumulate, Write::long_accumulate, Write::fetch_and_op,
                                         Write::compare_and_swap));

}  // namespace
