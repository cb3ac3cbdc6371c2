// The words by which ranks of a window synchronise, with threads as ranks under ThreadSanitizer. Plain data are only ordered by them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "faces/mpi/two_sided_lock.hpp"

namespace halocline::test {
namespace {

using core::Status;
using core::mpi::LockSide;
using core::mpi::LockTaking;
using core::mpi::Turn;
using core::mpi::WordHere;

template <class Work>
void in_threads(int threads, Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (std::thread &thread : all) thread.join();
}

constexpr LockSide kReaders{0, false}, kWriters{1, true}, kManyWriters{1, false};

class WindowLock : public testing::Test {
 protected:
  using Taking = LockTaking<WordHere>;

  Taking as(const LockSide &side) { return {WordHere(word_), side}; }
  void take(const LockSide &side) {
    if (as(side).try_first() == Status::ok) return;
    bool counted = false;
    EXPECT_EQ(as(side).announce(&counted), Status::ok);
    while (as(side).try_again(Turn::in_turn, counted) != Status::ok) std::this_thread::yield();
  }
  /// Whether ranks that wait have to be woken.
  bool give_back(const LockSide &side) {
    bool wakes = false;
    EXPECT_EQ(as(side).give_back(&wakes), Status::ok);
    return wakes;
  }
  bool announce(const LockSide &side) {
    bool counted = false;
    EXPECT_EQ(as(side).announce(&counted), Status::ok);
    return counted;
  }

  std::atomic<std::uint64_t> word_{0};
};

TEST_F(WindowLock, orders_what_its_holders_read_and_write) {
  constexpr int kThreads = 3, kTimes = 3000;
  long number = 0;
  std::atomic<long> read{0};
  in_threads(kThreads, [&](int thread) {
    for (int i = 0; i < kTimes; ++i) {
      const bool writes = (i + thread) % 3 != 0;
      take(writes ? kWriters : kReaders);
      if (writes)
        number += 1;
      else
        read.fetch_add(number > 0 ? 1 : 0, std::memory_order_relaxed);
      give_back(writes ? kWriters : kReaders);
    }
  });
  EXPECT_EQ(number, kThreads * kTimes * 2 / 3);
  EXPECT_EQ(word_.load() & ~(std::uint64_t{1} << core::mpi::LockFields::kTurnBit), 0u);
}

TEST_F(WindowLock, keeps_out_the_other_side_and_writers_each_other) {
  EXPECT_EQ(as(kReaders).try_first(), Status::ok);
  EXPECT_EQ(as(kReaders).try_first(), Status::ok);
  EXPECT_EQ(as(kWriters).try_first(), Status::again);
  give_back(kReaders);
  EXPECT_EQ(as(kWriters).try_first(), Status::again);
  give_back(kReaders);
  EXPECT_EQ(as(kWriters).try_first(), Status::ok);
  EXPECT_EQ(as(kWriters).try_first(), Status::again);
  EXPECT_EQ(as(kReaders).try_first(), Status::again);
  EXPECT_EQ(as(kManyWriters).try_first(), Status::ok);
}

TEST_F(WindowLock, gives_the_turn_to_the_side_that_waits) {
  EXPECT_EQ(as(kReaders).try_first(), Status::ok);
  const bool counted = announce(kWriters);
  EXPECT_EQ(as(kReaders).try_first(), Status::ok) << "it is still the readers' turn";
  EXPECT_TRUE(give_back(kReaders));
  EXPECT_EQ(as(kReaders).try_first(), Status::again) << "though readers hold it";
  EXPECT_EQ(as(kReaders).try_again(Turn::any, false), Status::ok) << "the turn binds no rank for ever";
  give_back(kReaders);
  give_back(kReaders);
  EXPECT_EQ(as(kWriters).try_again(Turn::in_turn, counted), Status::ok);
  EXPECT_FALSE(give_back(kWriters)) << "no rank waits any more";
  EXPECT_EQ(as(kReaders).try_first(), Status::ok);
}

TEST_F(WindowLock, wakes_ranks_of_both_sides) {
  EXPECT_EQ(as(kWriters).try_first(), Status::ok);
  const bool counted = announce(kWriters);
  EXPECT_TRUE(give_back(kWriters));
  EXPECT_EQ(as(kWriters).withdraw(counted), Status::ok);
  EXPECT_EQ(as(kWriters).try_first(), Status::ok);
  announce(kReaders);
  EXPECT_TRUE(give_back(kWriters));
}

TEST_F(WindowLock, counts_as_many_as_have_room) {
  for (int i = 0; i < 255; ++i) EXPECT_TRUE(announce(kWriters));
  EXPECT_FALSE(announce(kWriters));
  EXPECT_TRUE(announce(kReaders));
  EXPECT_EQ(as(kWriters).try_again(Turn::any, false), Status::ok) << "one that is not counted";
  EXPECT_TRUE(give_back(kWriters));
}

}  // namespace
}  // namespace halocline::test
