// Ranks that synchronise at random: locks of all kinds on all targets, post and start with groups that change from step to step, late ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

/// A window with some numbers per rank, all 0 at first.
class Numbers {
 public:
  explicit Numbers(int count) {
    MPI_Win_allocate(count * MPI_Aint{8}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int i = 0; i < count; ++i) mine[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Numbers() { MPI_Win_free(&win); }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;

  void put(std::int64_t value, int target, int i) const { MPI_Put(&value, 1, MPI_INT64_T, target, i, 1, MPI_INT64_T, win); }
  std::int64_t read(int target, int i) const {
    std::int64_t value = -1;
    MPI_Get(&value, 1, MPI_INT64_T, target, i, 1, MPI_INT64_T, win);
    MPI_Win_flush(target, win);
    return value;
  }

  MPI_Win win = MPI_WIN_NULL;
  std::int64_t *mine = nullptr;
};

/// Numbers from 0 to below `end`, and short delays, some of them long.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }
  void delay() {
    if (below(4) == 0) usleep(static_cast<useconds_t>(below(8) == 0 ? below(3000) : below(100)));
  }

 private:
  std::mt19937 engine_;
};

/// The two numbers of a target are the same, unless a rank that excludes all others is about to change them.
void read_both(const Numbers &numbers, int target, Random &random) {
  const std::int64_t first = numbers.read(target, 0);
  random.delay();
  EXPECT_EQ(numbers.read(target, 1), first) << "of rank " << target;
}

void change_both(const Numbers &numbers, int target, Random &random) {
  const std::int64_t first = numbers.read(target, 0);
  EXPECT_EQ(numbers.read(target, 1), first) << "of rank " << target;
  numbers.put(first + 1, target, 0);
  MPI_Win_flush(target, numbers.win);
  random.delay();
  numbers.put(first + 1, target, 1);
}

TEST(MpiSynchronisation, locks_of_all_kinds_exclude_whom_they_must) {
  const Numbers numbers(2);
  Random random(static_cast<unsigned>(100 + rank()));
  std::int64_t changes = 0, all = 0, found = 0;
  for (int i = 0; i < 150; ++i) {
    const int kind = random.below(4), target = random.below(size());
    random.delay();
    kind == 0 ? MPI_Win_lock_all(0, numbers.win) : MPI_Win_lock(kind == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, numbers.win);
    kind < 2 ? read_both(numbers, target, random) : change_both(numbers, target, random);
    kind == 0 ? MPI_Win_unlock_all(numbers.win) : MPI_Win_unlock(target, numbers.win);
    changes += kind < 2 ? 0 : 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&changes, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, numbers.win);
  MPI_Allreduce(numbers.mine, &found, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Win_unlock(rank(), numbers.win);
  EXPECT_EQ(found, all);
}

/// A rank that holds locks of several targets, in the order of their ranks.
TEST(MpiSynchronisation, a_rank_may_hold_several_exclusive_locks) {
  const Numbers numbers(2);
  Random random(static_cast<unsigned>(200 + rank()));
  for (int i = 0; i < 30; ++i) {
    const int first = random.below(size());
    for (int target = first; target < size(); ++target) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, numbers.win);
    for (int target = first; target < size(); ++target) change_both(numbers, target, random);
    for (int target = size() - 1; target >= first; --target) MPI_Win_unlock(target, numbers.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Those that lock all wait for the first target, and let others pass meanwhile.
TEST(MpiSynchronisation, a_holder_gets_another_lock_while_others_lock_all) {
  const Numbers numbers(2);
  Random random(static_cast<unsigned>(300 + rank()));
  for (int i = 0; i < 5; ++i) {
    if (rank() == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) usleep(1000);
    if (rank() > 0) MPI_Win_lock_all(0, numbers.win);
    if (rank() == 0 && size() > 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size() - 1, 0, numbers.win);
    rank() == 0 ? change_both(numbers, 0, random) : read_both(numbers, 0, random);
    if (rank() == 0 && size() > 1) MPI_Win_unlock(size() - 1, numbers.win);
    rank() == 0 ? MPI_Win_unlock(0, numbers.win) : MPI_Win_unlock_all(numbers.win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Threads of a rank lock at the same time, each its own target. Others of them change a number without a lock.
TEST(MpiSynchronisation, threads_lock_and_accumulate_at_the_same_time) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI_THREAD_MULTIPLE is not provided";
  constexpr int kTimes = 40;
  const Numbers locked(2), counted(1);
  MPI_Win_lock_all(0, counted.win);
  std::vector<std::thread> threads;
  for (int target = 0; target < size(); ++target)
    threads.emplace_back([&, target] {
      Random random(static_cast<unsigned>(500 + 10 * rank() + target));
      for (int i = 0; i < kTimes; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, locked.win);
        change_both(locked, target, random);
        MPI_Win_unlock(target, locked.win);
      }
    });
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      const std::int64_t one = 1;
      for (std::int64_t i = 0, before = -1, old = 0; i < kTimes; ++i, before = old) {
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 0, MPI_SUM, counted.win);
        MPI_Win_flush(0, counted.win);
        EXPECT_GT(old, before);
      }
    });
  for (std::thread &thread : threads) thread.join();
  MPI_Win_unlock_all(counted.win);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(locked.mine[0], std::int64_t{kTimes} * size());
  EXPECT_EQ(locked.mine[1], std::int64_t{kTimes} * size());
  if (rank() == 0) {
    EXPECT_EQ(counted.mine[0], std::int64_t{kTimes} * 2 * size());
  }
}

/// Rows of many lengths, so that some take several messages. The target changes its own numbers meanwhile.
TEST(MpiSynchronisation, rows_of_accumulates_and_of_the_target_itself_add_up) {
  constexpr int kNumbers = 6000, kTimes = 60;
  const Numbers sums(kNumbers);
  std::vector<std::int64_t> ones(kNumbers, 1);
  Random random(static_cast<unsigned>(900 + rank()));
  std::vector<std::int64_t> mine(kNumbers, 0), all(kNumbers, 0);
  MPI_Win_lock_all(0, sums.win);
  for (int i = 0; i < kTimes; ++i) {
    const int first = random.below(kNumbers), count = random.below(kNumbers - first) + 1;
    MPI_Accumulate(ones.data(), count, MPI_INT64_T, 0, first, count, MPI_INT64_T, MPI_SUM, sums.win);
    for (int n = first; n < first + count; ++n) mine[static_cast<std::size_t>(n)] += 1;
    if (random.below(3) == 0) MPI_Win_flush(0, sums.win);
  }
  MPI_Win_unlock_all(sums.win);
  MPI_Allreduce(mine.data(), all.data(), kNumbers, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int n = 0; n < kNumbers && rank() == 0; ++n) ASSERT_EQ(sums.mine[n], all[static_cast<std::size_t>(n)]) << n;
}

class Group {
 public:
  Group(MPI_Win win, const std::vector<int> &ranks) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
  }
  ~Group() {
    if (group_ != MPI_GROUP_EMPTY) MPI_Group_free(&group_);
  }
  Group(const Group &) = delete;
  Group &operator=(const Group &) = delete;
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// Puts of all lengths, of which the last may be under way when the call that ends the epoch returns. The target looks as soon as it may.
TEST(MpiSynchronisation, what_was_put_is_there_when_the_target_knows_of_the_end) {
  constexpr int kNumbers = 40'000, kTimes = 30;
  const Numbers numbers(kNumbers);
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  std::vector<std::int64_t> put(kNumbers);
  const Group left(numbers.win, {previous}), right(numbers.win, {next});
  Random random(77);  // the same on all ranks
  for (int i = 1; i <= kTimes; ++i) {
    const int count = i % 3 == 0 ? kNumbers : random.below(300) + 1, pieces = random.below(3) + 1;
    const bool by_fence = i % 2 == 0;
    for (int n = 0; n < count; ++n) put[static_cast<std::size_t>(n)] = 1000 * i + rank();
    if (by_fence) MPI_Win_fence(MPI_MODE_NOPRECEDE, numbers.win);
    if (!by_fence) MPI_Win_post(left.get(), 0, numbers.win), MPI_Win_start(right.get(), 0, numbers.win);
    for (int piece = 0; piece < pieces; ++piece) {
      const int first = count * piece / pieces, end = count * (piece + 1) / pieces;
      MPI_Put(put.data() + first, end - first, MPI_INT64_T, next, first, end - first, MPI_INT64_T, numbers.win);
    }
    if (by_fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, numbers.win);
    if (!by_fence) MPI_Win_complete(numbers.win), MPI_Win_wait(numbers.win);
    for (int n = 0; n < count; ++n) ASSERT_EQ(numbers.mine[n], 1000 * i + previous) << n << " in step " << i;
  }
}

/// A rank puts to the next one. After the fence the one behind that reads there. Other messages than the data tell it of the fence.
TEST(MpiSynchronisation, what_was_put_is_there_when_a_third_rank_reads_it) {
  const Numbers numbers(2);
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size(), before = (rank() + 2 * size() - 2) % size();
  Random random(static_cast<unsigned>(40 + rank()));
  int wrong = 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, numbers.win);
  for (int i = 1; i <= 500; ++i) {
    const std::int64_t value = 1000 * i + rank();
    std::int64_t seen = -1;
    if (random.below(20) == 0) random.delay();
    MPI_Put(&value, 1, MPI_INT64_T, next, i % 2, 1, MPI_INT64_T, numbers.win);
    MPI_Win_fence(0, numbers.win);
    MPI_Get(&seen, 1, MPI_INT64_T, previous, i % 2, 1, MPI_INT64_T, numbers.win);
    MPI_Win_fence(0, numbers.win);
    wrong += seen != 1000 * i + before;
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, numbers.win);
  EXPECT_EQ(wrong, 0) << "of 500 numbers";
}

/// Elements that no atomic instruction changes take the target's lock, also where the target is the rank itself.
TEST(MpiSynchronisation, long_elements_add_up_at_the_rank_itself_as_well) {
  constexpr int kTimes = 50;
  const Numbers numbers(2 * size());
  const double one[2] = {1, 2};
  double fetched[2] = {0, 0};
  MPI_Win_lock_all(0, numbers.win);
  for (int i = 0; i < kTimes; ++i)
    for (int target = 0; target < size(); ++target) {
      MPI_Accumulate(one, 1, MPI_C_DOUBLE_COMPLEX, target, 0, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, numbers.win);
      MPI_Get_accumulate(one, 1, MPI_C_DOUBLE_COMPLEX, fetched, 1, MPI_C_DOUBLE_COMPLEX, target, 0, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                         numbers.win);
      MPI_Win_flush(target, numbers.win);
    }
  MPI_Win_unlock_all(numbers.win);
  MPI_Barrier(MPI_COMM_WORLD);
  double sum[2];
  MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, numbers.win);
  std::copy_n(reinterpret_cast<const char *>(numbers.mine), sizeof sum, reinterpret_cast<char *>(sum));
  MPI_Win_unlock(rank(), numbers.win);
  EXPECT_EQ(sum[0], 2.0 * kTimes * size());
  EXPECT_EQ(sum[1], 4.0 * kTimes * size());
}

/// The ranks to which a test of a pair applies.
template <class IsIn>
std::vector<int> ranks_where(IsIn is_in) {
  std::vector<int> ranks;
  for (int r = 0; r < size(); ++r)
    if (is_in(r)) ranks.push_back(r);
  return ranks;
}

void wait_or_test(MPI_Win win, bool waits) {
  int over = waits ? 1 : 0;
  if (waits) MPI_Win_wait(win);
  while (!over) MPI_Win_test(win, &over);
}

TEST(MpiSynchronisation, post_and_start_match_in_groups_that_change) {
  const Numbers numbers(size());
  Random alike(1), own(static_cast<unsigned>(300 + rank()));
  for (std::int64_t step = 1; step <= 80; ++step) {
    std::vector<int> pairs(static_cast<std::size_t>(size() * size()));
    for (int &accesses : pairs) accesses = alike.below(2);
    const auto accesses = [&](int origin, int target) { return pairs[static_cast<std::size_t>(origin * size() + target)] != 0; };
    const std::vector<int> origins = ranks_where([&](int r) { return accesses(r, rank()); });
    const std::vector<int> targets = ranks_where([&](int r) { return accesses(rank(), r); });
    const Group posted(numbers.win, origins), started(numbers.win, targets);
    own.delay();
    MPI_Win_post(posted.get(), 0, numbers.win);
    own.delay();
    MPI_Win_start(started.get(), 0, numbers.win);
    for (const int target : targets) numbers.put(step * 1000 + rank(), target, rank());
    own.delay();
    MPI_Win_complete(numbers.win);
    wait_or_test(numbers.win, step % 2 == 0);
    for (const int origin : origins) EXPECT_EQ(numbers.mine[origin], step * 1000 + origin) << "in step " << step;
  }
}

/// Rank 0 starts to the others one by one, in another order each time. They have posted long before, or are late.
TEST(MpiSynchronisation, a_rank_starts_to_those_that_have_posted_in_any_order) {
  if (size() == 1) GTEST_SKIP() << "it takes another rank";
  const Numbers numbers(1);
  Random random(static_cast<unsigned>(400 + rank()));
  const Group first(numbers.win, {0});
  for (int step = 1; step <= 60; ++step) {
    for (int i = 1; i < size() && rank() == 0; ++i) {
      const int target = 1 + (i * (step % 2 == 0 ? 1 : size() - 2) + step) % (size() - 1);
      const Group one(numbers.win, {target});
      random.delay();
      MPI_Win_start(one.get(), step % 3 == 0 ? MPI_MODE_NOPUT : 0, numbers.win);
      if (step % 3 != 0) numbers.put(step, target, 0);
      MPI_Win_complete(numbers.win);
    }
    if (rank() == 0) continue;
    random.delay();
    MPI_Win_post(first.get(), 0, numbers.win);
    MPI_Win_wait(numbers.win);
    EXPECT_EQ(numbers.mine[0], step % 3 != 0 ? step : step - 1);
  }
}

/// The other rank calls start only once it has the message that is sent after the post.
TEST(MpiSynchronisation, post_waits_for_no_other_rank) {
  if (size() == 1) GTEST_SKIP() << "it takes another rank";
  const Numbers numbers(1);
  const int last = size() - 1;
  int token = 0;
  if (rank() == 0) {
    const Group group(numbers.win, {last});
    MPI_Win_post(group.get(), 0, numbers.win);
    MPI_Ssend(&token, 1, MPI_INT, last, 0, MPI_COMM_WORLD);
    MPI_Win_wait(numbers.win);
    EXPECT_EQ(numbers.mine[0], 77);
  } else if (rank() == last) {
    const Group group(numbers.win, {0});
    MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_start(group.get(), 0, numbers.win);
    numbers.put(77, 0, 0);
    MPI_Win_complete(numbers.win);
  }
}

}  // namespace
