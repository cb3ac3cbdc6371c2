// Read-modify-write, and mutexes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "armci_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

template <class T>
constexpr int add_of = sizeof(T) == 4 ? ARMCI_FETCH_AND_ADD : ARMCI_FETCH_AND_ADD_LONG;
template <class T>
constexpr int swap_of = sizeof(T) == 4 ? ARMCI_SWAP : ARMCI_SWAP_LONG;

template <class T>
class ArmciRmw : public testing::Test {};
using RmwTypes = testing::Types<int, long>;
TYPED_TEST_SUITE(ArmciRmw, RmwTypes);

TYPED_TEST(ArmciRmw, gives_each_ticket_once) {
  using T = TypeParam;
  constexpr int each = 200;
  const GlobalMemory memory(4 * sizeof(T));
  memory.store(0, std::vector<T>(4, 0));
  ARMCI_Barrier();
  std::vector<long> tickets;
  Skew skew(21);
  for (int i = 0; i < each; ++i) {
    T ticket = -1;
    EXPECT_EQ(ARMCI_Rmw(add_of<T>, &ticket, memory.words<T>(0) + 1, 1, 0), 0);
    EXPECT_TRUE(tickets.empty() || ticket > tickets.back()) << "a ticket that is not above the last one";
    tickets.push_back(ticket);
    if (i % 20 == 0) skew.delay();
  }
  std::vector<long> all(as_index(each * size()));
  MPI_Allgather(tickets.data(), each, MPI_LONG, all.data(), each, MPI_LONG, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<long>(i));
  ARMCI_Barrier();
  if (rank() == 0) {
    const auto now = memory.copy_of<T>(0, 4);
    EXPECT_EQ(now[0], 0);
    EXPECT_EQ(now[1], each * size());
    EXPECT_EQ(now[2], 0);
  }
}

TYPED_TEST(ArmciRmw, adds_negative_numbers_and_zero) {
  using T = TypeParam;
  const GlobalMemory memory(sizeof(T) * as_index(size()));
  memory.store(0, std::vector<T>(as_index(size()), 100));
  ARMCI_Barrier();
  T old = 0;
  T *const word = memory.words<T>(next()) + rank();
  EXPECT_EQ(ARMCI_Rmw(add_of<T>, &old, word, -150, next()), 0);
  EXPECT_EQ(old, 100);
  EXPECT_EQ(ARMCI_Rmw(add_of<T>, &old, word, 0, next()), 0);
  EXPECT_EQ(old, -50);
}

/// A token that all swap exists once.
TYPED_TEST(ArmciRmw, swaps_without_loss) {
  using T = TypeParam;
  const GlobalMemory memory(2 * sizeof(T));
  memory.store(0, std::vector<T>{-1, -2});
  ARMCI_Barrier();
  T held = static_cast<T>(1000 + rank());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ARMCI_Rmw(swap_of<T>, &held, memory.words<T>(size() - 1), 0, size() - 1), 0);
  }
  ARMCI_Barrier();
  T left = 0;
  EXPECT_EQ(ARMCI_Get(memory.words<T>(size() - 1), &left, sizeof left, size() - 1), 0);
  long sum = held, all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  long expected = -1;
  for (int r = 0; r < size(); ++r) expected += 1000 + r;
  EXPECT_EQ(all + left, expected);
}

/// The long forms do more than 32 bits, the int forms do not reach the next word.
TEST(ArmciRmwWidth, is_that_of_the_type) {
  const GlobalMemory memory(16);
  memory.store(0, std::vector<long>{0xffffffffL, 0x7fffffffL});
  ARMCI_Barrier();
  long old = 0;
  int small = 0;
  if (rank() == 0) {
    EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.words<long>(next()), 1, next()), 0);
    EXPECT_EQ(old, 0xffffffffL);
    EXPECT_EQ(ARMCI_GetValueLong(memory.words<long>(next()), next()), 0x100000000L);
    EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &small, memory.words<long>(next()) + 1, 1, next()), 0);
    EXPECT_EQ(small, 0x7fffffff);
    EXPECT_EQ(ARMCI_GetValueLong(memory.words<long>(next()) + 1, next()), 0x80000000L) << "the upper half is another int";
  }
  ARMCI_Barrier();
}

/// The local side may be global memory of the caller.
TEST(ArmciRmwLocal, may_be_global_memory) {
  const GlobalMemory memory(16);
  memory.store(0, std::vector<long>{40 + rank(), 0});
  ARMCI_Barrier();
  EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, memory.words<long>(rank()) + 1, memory.words<long>(next()), 5, next()), 0);
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<long>(1, 1)[0], 40 + next());
  EXPECT_EQ(memory.copy_of<long>(0, 1)[0], 45 + rank());
}

TEST(ArmciLock, lets_one_rank_at_a_time_change_what_it_guards) {
  constexpr int turns = 40;
  const GlobalMemory memory(16);
  memory.store(0, std::vector<long>{0, 0});
  ASSERT_EQ(ARMCI_Create_mutexes(2), 0);
  Skew skew(8);
  for (int i = 0; i < turns; ++i)
    for (int owner = 0; owner < size(); ++owner)
      for (int mutex = 0; mutex < 2; ++mutex) {
        ARMCI_Lock(mutex, owner);
        long value = 0;
        EXPECT_EQ(ARMCI_Get(memory.words<long>(owner) + mutex, &value, 8, owner), 0);
        if (i % 10 == 0) skew.delay();
        value += 1 + mutex;
        EXPECT_EQ(ARMCI_Put(&value, memory.words<long>(owner) + mutex, 8, owner), 0);
        ARMCI_Fence(owner);
        ARMCI_Unlock(mutex, owner);
      }
  ARMCI_Barrier();
  const auto now = memory.copy_of<long>(0, 2);
  EXPECT_EQ(now[0], turns * size());
  EXPECT_EQ(now[1], 2 * turns * size());
  EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

TEST(ArmciLock, of_another_mutex_does_not_wait) {
  ASSERT_EQ(ARMCI_Create_mutexes(3), 0);
  for (int mutex = 0; mutex < 3; ++mutex) ARMCI_Lock(mutex, rank());
  MPI_Barrier(MPI_COMM_WORLD);
  for (int mutex = 2; mutex >= 0; --mutex) ARMCI_Unlock(mutex, rank());
  EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

TEST(ArmciCreateMutexes, takes_another_number_of_each_rank_and_can_be_repeated) {
  for (int turn = 0; turn < 5; ++turn) {
    ASSERT_EQ(ARMCI_Create_mutexes(rank() == 0 ? 4 : 0), 0);
    for (int mutex = 0; mutex < 4; ++mutex) {
      ARMCI_Lock(mutex, 0);
      ARMCI_Unlock(mutex, 0);
    }
    ASSERT_EQ(ARMCI_Destroy_mutexes(), 0);
  }
}

}  // namespace
}  // namespace halocline::test
