// What is visible to which rank and when: location consistency, flags, fences and barriers.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "armci_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// Waits until rank-local memory that another rank writes has a value; the library makes progress meanwhile.
template <class T>
T wait_for_change(const GlobalMemory &memory, const T *word, T from) {
  T now = from;
  while (now == from) {
    EXPECT_EQ(ARMCI_Get(const_cast<T *>(word), &now, sizeof(T), rank()), 0);
    // A message of MPI to itself lets an implementation on MPI RMA make progress.
    int arrived = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
  }
  static_cast<void>(memory);
  return now;
}

/// Blocking operations of one rank on one place happen in the program's order.
TEST(ArmciOrder, lets_a_rank_read_what_it_wrote) {
  const GlobalMemory memory(8L * size());
  for (long turn = 1; turn <= 300; ++turn) {
    const int target = static_cast<int>(turn) % size();
    long value = 10 * turn + rank(), got = 0;
    EXPECT_EQ(ARMCI_Put(&value, memory.words<long>(target) + rank(), 8, target), 0);
    EXPECT_EQ(ARMCI_Get(memory.words<long>(target) + rank(), &got, 8, target), 0);
    ASSERT_EQ(got, 10 * turn + rank());
  }
}

TEST(ArmciOrder, lets_the_last_of_several_writes_stay) {
  const GlobalMemory memory(16L * size());
  for (int turn = 0; turn < 30; ++turn) {
    for (long value = 1; value <= 20; ++value) {
      long pair[2] = {value, -value};
      EXPECT_EQ(ARMCI_Put(pair, memory.words<long>(next()) + 2 * rank(), 16, next()), 0);
    }
    ARMCI_Barrier();
    const auto now = memory.copy_of<long>(as_index(2 * previous()), 2);
    EXPECT_EQ(now[0], 20);
    EXPECT_EQ(now[1], -20);
    ARMCI_Barrier();
  }
}

/// Long and short writes by different routes to the same place.
TEST(ArmciOrder, holds_between_different_operations) {
  const GlobalMemory memory(80000L);
  for (int turn = 0; turn < 10; ++turn) {
    std::vector<long> many(10000, turn + 1L), got(10000);
    EXPECT_EQ(ARMCI_Put(many.data(), memory.of(next()), 80000, next()), 0);
    long one = 500, scale = 3;
    EXPECT_EQ(ARMCI_Put(&one, memory.words<long>(next()) + 9999, 8, next()), 0);
    EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_LNG, &scale, &one, memory.words<long>(next()) + 9999, 8, next()), 0);
    EXPECT_EQ(ARMCI_PutValueLong(-1, memory.words<long>(next()) + 7, next()), 0);
    EXPECT_EQ(ARMCI_Get(memory.of(next()), got.data(), 80000, next()), 0);
    EXPECT_EQ(got[9999], 2000);
    EXPECT_EQ(got[7], -1);
    EXPECT_EQ(got[8], turn + 1);
    long old = 0;
    EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.words<long>(next()) + 9999, 4, next()), 0);
    EXPECT_EQ(old, 2000);
    EXPECT_EQ(ARMCI_GetValueLong(memory.words<long>(next()) + 9999, next()), 2004);
    ARMCI_Barrier();
  }
}

/// The flag is set once the data are there.
TEST(ArmciPutFlag, arrives_after_the_data_it_announces) {
  constexpr std::size_t words = 4000;
  const GlobalMemory memory(words * 8 + 16);
  memory.store(words, std::vector<long>{0, 0});
  ARMCI_Barrier();
  Skew skew(3);
  for (int turn = 1; turn <= 25; ++turn) {
    skew.delay();
    const std::size_t count = turn % 5 == 0 ? words : 1 + as_index(turn) * 7;
    auto sent = words_of(rank(), as_index(turn), count);
    int *const flag = reinterpret_cast<int *>(memory.words<long>(next()) + words);
    EXPECT_EQ(ARMCI_Put_flag(sent.data(), memory.of(next()), static_cast<int>(8 * count), flag, turn, next()), 0);
    const int seen = wait_for_change(memory, reinterpret_cast<int *>(memory.words<long>(rank()) + words), turn - 1);
    EXPECT_EQ(seen, turn);
    EXPECT_EQ(memory.copy_of<std::uint64_t>(0, count), words_of(previous(), as_index(turn), count)) << "turn " << turn;
    ARMCI_Barrier();
  }
}

TEST(ArmciPutSFlag, arrives_after_the_section_it_announces) {
  constexpr int side = 40, inner = 30;
  const GlobalMemory memory(side * side * 8L + 16);
  memory.store(side * side, std::vector<long>{0, 0});
  ARMCI_Barrier();
  for (int turn = 1; turn <= 15; ++turn) {
    auto sent = words_of(rank(), as_index(turn), side * side);
    int *const flag = reinterpret_cast<int *>(memory.words<long>(next()) + side * side);
    int count[2] = {8 * inner, inner}, stride[1] = {8 * side};
    EXPECT_EQ(ARMCI_PutS_flag(sent.data(), stride, memory.of(next()), stride, count, 1, flag, turn, next()), 0);
    EXPECT_EQ(wait_for_change(memory, reinterpret_cast<int *>(memory.words<long>(rank()) + side * side), turn - 1), turn);
    const auto now = memory.copy_of<std::uint64_t>(0, side * side), expected = words_of(previous(), as_index(turn), side * side);
    for (std::size_t i = 0; i < inner; ++i)
      for (std::size_t j = 0; j < inner; ++j) ASSERT_EQ(now[i * side + j], expected[i * side + j]) << "turn " << turn;
    ARMCI_Barrier();
  }
}

/// A fence completes at the target what was put before it; a message tells the target.
TEST(ArmciFence, completes_what_was_put_at_the_target) {
  constexpr std::size_t count = 1000;
  const GlobalMemory memory(count * 8);
  for (std::uint64_t step = 1; step <= 20; ++step) {
    auto sent = words_of(rank(), step, count);
    EXPECT_EQ(ARMCI_Put(sent.data(), memory.of(next()), 8 * count, next()), 0);
    if (step % 2 == 0)
      ARMCI_Fence(next());
    else
      ARMCI_AllFence();
    int token = 0;
    MPI_Sendrecv(nullptr, 0, MPI_INT, next(), 3, &token, 0, MPI_INT, previous(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(memory.copy_of<std::uint64_t>(0, count), words_of(previous(), step, count)) << "step " << step;
    ARMCI_Barrier();
  }
}

/// Also to ranks that are not in the barrier of a message.
TEST(ArmciBarrier, completes_what_all_have_put) {
  const GlobalMemory memory(8L * size());
  Skew skew(5);
  for (long turn = 1; turn <= 40; ++turn) {
    skew.delay();
    for (int target = 0; target < size(); ++target) {
      long value = 1000 * turn + 10 * rank() + target;
      EXPECT_EQ(ARMCI_Put(&value, memory.words<long>(target) + rank(), 8, target), 0);
    }
    ARMCI_Barrier();
    const auto now = memory.copy_of<long>(0, as_index(size()));
    for (int r = 0; r < size(); ++r) ASSERT_EQ(now[as_index(r)], 1000 * turn + 10 * r + rank());
    ARMCI_Barrier();
  }
}

}  // namespace
}  // namespace halocline::test
