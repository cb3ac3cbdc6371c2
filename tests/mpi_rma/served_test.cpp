// A rank repeats calls of MPI RMA until a rank of another node has changed its memory, and does nothing else. The other one is served while no
// lock is held, with each mix of calls. With HALOCLINE_PROGRESS=caller no thread serves it.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

/// A window of all ranks, one of this rank alone, and what rank 0 may repeat on them.
class Calls {
 public:
  Calls() {
    MPI_Win_allocate(2 * sizeof(std::int64_t), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &win_);
    MPI_Win_allocate(sizeof(std::int64_t), 8, MPI_INFO_NULL, MPI_COMM_SELF, &own_, &alone_);
    MPI_Comm_group(MPI_COMM_SELF, &self_);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int first = 0;
    MPI_Group_incl(world, 1, &first, &me_);
    MPI_Group_free(&world);
    mine_[0] = mine_[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Calls() {
    MPI_Group_free(&self_);
    MPI_Group_free(&me_);
    MPI_Win_free(&alone_);
    MPI_Win_free(&win_);
  }
  Calls(const Calls &) = delete;
  Calls &operator=(const Calls &) = delete;

  static constexpr int kKinds = 11;
  /// One of the kinds. Returns how many polls it counts as: those that wait for an answer of the other rank count as many.
  int make(int kind) {
    constexpr int kWaits = 1000;
    switch (kind) {
      case 0: return lock_and([&] { read(); }, MPI_LOCK_EXCLUSIVE), 1;
      case 1: return lock_and([&] { read(), read(); }, MPI_LOCK_EXCLUSIVE), 1;
      case 2: return lock_and([&] { MPI_Win_flush(0, win_), MPI_Win_sync(win_); }, MPI_LOCK_SHARED), 1;
      case 3: return lock_and([&] { get(), MPI_Win_flush_local(0, win_), get_and_wait(); }, MPI_LOCK_EXCLUSIVE), 1;
      case 4: return lock_and([&] { put_to_other(); }, MPI_LOCK_EXCLUSIVE), kWaits;
      case 5: return lock_all_and([&] { swap(), MPI_Win_flush_all(win_); }), 1;
      case 6: return lock_and([] {}, MPI_LOCK_EXCLUSIVE), 1;
      case 7: return expose(), 1;
      case 8: return MPI_Win_fence(0, alone_), 1;
      case 9: return MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, alone_), MPI_Win_unlock(0, alone_), 1;
      default: return MPI_Win_lock_all(0, alone_), MPI_Win_sync(alone_), MPI_Win_unlock_all(alone_), 1;
    }
  }
  /// The number of changes that this rank has seen.
  std::int64_t look(int type) {
    lock_and([&] { read(); }, type);
    return seen_;
  }
  /// The same by a load, without any epoch.
  std::int64_t load() const { return __atomic_load_n(&mine_[0], __ATOMIC_ACQUIRE); }
  /// By rank 0, once another rank repeats its looks.
  void change_own() {
    usleep(2000);
    lock_and([&] { mine_[0] += 1; }, MPI_LOCK_EXCLUSIVE);
  }
  /// By another rank, once rank 0 repeats its calls: changes the number of rank 0.
  void change(int how) {
    usleep(2000);
    const std::int64_t one = 1;
    how % 3 == 2 ? MPI_Win_lock_all(0, win_) : MPI_Win_lock(how % 3 == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win_);
    MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, win_);
    how % 3 == 2 ? MPI_Win_unlock_all(win_) : MPI_Win_unlock(0, win_);
  }

 private:
  template <class Work>
  void lock_and(Work work, int type) {
    MPI_Win_lock(type, 0, 0, win_);
    work();
    MPI_Win_unlock(0, win_);
  }
  template <class Work>
  void lock_all_and(Work work) {
    MPI_Win_lock_all(0, win_);
    work();
    MPI_Win_unlock_all(win_);
  }
  void read() { MPI_Fetch_and_op(nullptr, &seen_, MPI_INT64_T, 0, 0, MPI_NO_OP, win_); }
  void get() { MPI_Get(&got_, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win_); }
  void get_and_wait() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rget(&got_, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void swap() {
    const std::int64_t no = -1;
    std::int64_t found = 0;
    MPI_Compare_and_swap(&no, &no, &found, MPI_INT64_T, 0, 1, win_);
  }
  /// An epoch of another target, within that of this rank.
  void put_to_other() {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win_);
    MPI_Put(&seen_, 1, MPI_INT64_T, 1, 1, 1, MPI_INT64_T, win_);
    MPI_Win_unlock(1, win_);
  }
  /// An epoch of this rank with itself.
  void expose() {
    MPI_Win_post(me_, 0, win_);
    MPI_Win_start(me_, 0, win_);
    get();
    MPI_Win_complete(win_);
    MPI_Win_wait(win_);
  }

  MPI_Win win_ = MPI_WIN_NULL, alone_ = MPI_WIN_NULL;
  MPI_Group self_ = MPI_GROUP_NULL, me_ = MPI_GROUP_NULL;
  std::int64_t *mine_ = nullptr, *own_ = nullptr;
  std::int64_t seen_ = 0, got_ = 0;
};

/// The calls of a loop, at random.
std::vector<int> random_loop(std::mt19937_64 &random) {
  std::vector<int> kinds(random() % 4);
  for (int &kind : kinds) kind = static_cast<int>(random() % Calls::kKinds);
  return kinds;
}

std::string named(const std::vector<int> &kinds) {
  std::string text;
  for (const int kind : kinds) text += " " + std::to_string(kind);
  return text;
}

constexpr std::int64_t kMaxPolls = 20'000'000;

/// Rank 0 repeats these calls, and a look under a lock, until it has seen so many changes. Returns the number of polls.
std::int64_t repeat(Calls &calls, const std::vector<int> &kinds, int type, std::int64_t changes) {
  std::int64_t polls = 0;
  while (polls < kMaxPolls && calls.look(type) < changes) {
    polls += 1;
    for (const int kind : kinds) polls += calls.make(kind);
  }
  return polls;
}

TEST(MpiServed, others_are_served_while_a_rank_holds_nothing_with_each_mix_of_calls) {
  if (size() < 2) GTEST_SKIP() << "it takes another rank";
  Calls calls;
  std::mt19937_64 random(halocline::test::seed());
  bool all_right = true;
  for (int round = 1; round <= 60 && all_right; ++round) {
    const std::vector<int> kinds = random_loop(random);
    const int how = static_cast<int>(random() % 3), type = random() % 3 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    std::int64_t polls = 0;
    if (rank() == 1) calls.change(how);
    if (rank() == 0) polls = repeat(calls, kinds, type, round);
    EXPECT_LT(polls, kMaxPolls) << "while rank 1 waits in way " << how << ", rank 0 repeats calls of the kinds" << named(kinds);
    all_right = halocline::test::everyone(polls < kMaxPolls);
  }
}

/// Epochs with itself, and calls on a window of this rank alone. None has anything to do with another node.
TEST(MpiServed, others_are_served_in_calls_on_other_windows) {
  if (size() < 2) GTEST_SKIP() << "it takes another rank";
  Calls calls;
  bool all_right = true;
  int changes = 0;
  for (const int kind : {7, 8, 9, 10}) {
    std::int64_t polls = 0;
    changes += 1;
    if (rank() == 1) calls.change(changes);
    if (rank() == 0)
      while (polls < kMaxPolls && calls.load() < changes) polls += calls.make(kind);
    EXPECT_LT(polls, kMaxPolls) << "kind " << kind;
    all_right = all_right && polls < kMaxPolls;
    if (!halocline::test::everyone(all_right)) return;
  }
}

/// The owner looks at its lock when it polls, and an unlock and the next lock may arrive together.
TEST(MpiServed, a_rank_gets_its_own_lock_while_another_locks_it_again_and_again) {
  if (size() < 2) GTEST_SKIP() << "it takes another rank";
  constexpr int kMax = 3000;
  Calls calls;
  const int last = size() - 1;
  for (int i = 0; i < 10; ++i) {
    std::int64_t polls = 0;
    if (rank() == 0) calls.change_own();
    while (rank() == last && polls < kMax && calls.look(MPI_LOCK_EXCLUSIVE) <= i) polls += 1;
    EXPECT_LT(polls, kMax) << "in turn " << i;
    if (!halocline::test::everyone(polls < kMax)) return;
  }
}

/// What the loop is in step with depends on the calls before it.
TEST(MpiServed, a_lock_is_handed_over_after_any_number_of_calls) {
  if (size() < 2) GTEST_SKIP() << "it takes another rank";
  Calls calls;
  bool all_right = true;
  for (int before = 1; before <= 8 && all_right; ++before) {
    for (int i = 0; i < before && rank() == 0; ++i) calls.make(6);
    std::int64_t polls = 0;
    if (rank() == 1) calls.change(0);
    if (rank() == 0) polls = repeat(calls, {}, MPI_LOCK_EXCLUSIVE, before);
    EXPECT_LT(polls, kMaxPolls) << "after " << before << " empty epochs";
    all_right = halocline::test::everyone(polls < kMaxPolls);
  }
}

}  // namespace
