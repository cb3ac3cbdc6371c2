// The words by which ranks of a window synchronise, with threads as ranks under ThreadSanitizer. Plain data are only ordered by them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "faces/mpi/handle/handle_table.hpp"
#include "faces/mpi/sync/group_lock.hpp"
#include "faces/mpi/sync/mcs_queue.hpp"
#include "faces/mpi/sync/pscw_words.hpp"
#include "faces/mpi/sync/word_concept.hpp"
#include "faces/mpi/window/epochs.hpp"

namespace halocline::test {
namespace {

using core::Status;
using core::mpi::Hold;
using core::mpi::Holds;
using core::mpi::LockSide;
using core::mpi::LockTaking;
using core::mpi::PostWords;
using core::mpi::QueuePlace;
using core::mpi::QueuePlaces;
using core::mpi::Turn;
using core::mpi::WordHere;

template <class Work>
void in_threads(int threads, Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (std::thread &thread : all) thread.join();
}

constexpr LockSide kReaders{0, false}, kWriters{1, true}, kManyWriters{1, false};

using Word = std::atomic<std::uint64_t>;

LockTaking<WordHere> taking(Word &word, const LockSide &side) { return {WordHere(word), side}; }

void take(Word &word, const LockSide &side) {
  if (taking(word, side).try_first() == Status::ok) return;
  bool counted = false;
  EXPECT_EQ(taking(word, side).announce(&counted), Status::ok);
  while (taking(word, side).try_again(Turn::in_turn, counted) != Status::ok) std::this_thread::yield();
}

/// Whether ranks that wait have to be woken.
bool give_back(Word &word, const LockSide &side) {
  bool wakes = false;
  EXPECT_EQ(taking(word, side).give_back(&wakes), Status::ok);
  return wakes;
}

class WindowLock : public testing::Test {
 protected:
  LockTaking<WordHere> as(const LockSide &side) { return taking(word_, side); }
  void take(const LockSide &side) { test::take(word_, side); }
  bool give_back(const LockSide &side) { return test::give_back(word_, side); }
  bool announce(const LockSide &side) {
    bool counted = false;
    EXPECT_EQ(as(side).announce(&counted), Status::ok);
    return counted;
  }

  Word word_{0};
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

/// By the functions for locks that no rank waits for.
template <LockSide kSide, class Work>
void with_unawaited(Word &word, Work work) {
  while (!core::mpi::take_unawaited<kSide>(word)) std::this_thread::yield();
  work();
  while (!core::mpi::give_back_unawaited<kSide>(word)) std::this_thread::yield();
}

TEST_F(WindowLock, orders_what_its_holders_read_and_write_while_no_rank_waits) {
  constexpr int kThreads = 3, kTimes = 3000;
  long number = 0;
  std::atomic<long> read{0};
  in_threads(kThreads, [&](int thread) {
    for (int i = 0; i < kTimes; ++i) {
      if ((i + thread) % 3 != 0)
        with_unawaited<kWriters>(word_, [&] { number += 1; });
      else
        with_unawaited<kReaders>(word_, [&] { read.fetch_add(number > 0 ? 1 : 0, std::memory_order_relaxed); });
    }
  });
  EXPECT_EQ(number, kThreads * kTimes * 2 / 3);
  EXPECT_EQ(word_.load(), 0u);
}

TEST_F(WindowLock, is_not_taken_nor_given_back_in_short_where_a_rank_waits) {
  EXPECT_TRUE(core::mpi::take_unawaited<kReaders>(word_));
  EXPECT_TRUE(core::mpi::take_unawaited<kReaders>(word_));
  EXPECT_FALSE(core::mpi::take_unawaited<kWriters>(word_));
  EXPECT_TRUE(core::mpi::give_back_unawaited<kReaders>(word_));
  const bool counted = announce(kWriters);
  EXPECT_FALSE(core::mpi::take_unawaited<kReaders>(word_));
  EXPECT_FALSE(core::mpi::give_back_unawaited<kReaders>(word_)) << "a rank has to be woken";
  EXPECT_TRUE(give_back(kReaders));
  EXPECT_FALSE(core::mpi::take_unawaited<kWriters>(word_)) << "the one that waits is first";
  EXPECT_EQ(as(kWriters).try_again(Turn::in_turn, counted), Status::ok);
  EXPECT_FALSE(core::mpi::take_unawaited<kReaders>(word_));
  EXPECT_FALSE(core::mpi::take_unawaited<kWriters>(word_));
  EXPECT_TRUE(core::mpi::give_back_unawaited<kWriters>(word_));
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

/// The locks of a window of one node, with a number per target. As in locks.cpp, without sleeps.
struct WindowLocks {
  static constexpr int kTargets = 2;
  Word all{0}, targets[kTargets] = {};
  long numbers[kTargets] = {};

  void lock(int target) {
    take(targets[target], kWriters);
    if (core::mpi::needs_target_alone(all)) return;
    give_back(targets[target], kWriters);
    take(all, kManyWriters);
    take(targets[target], kWriters);
    core::mpi::let_targets_be_alone(all);
    give_back(all, kManyWriters);
  }
  void lock_all() {
    take(all, kReaders);
    if (!core::mpi::has_targets_alone(all)) return;
    for (const Word &target : targets)
      while (core::mpi::is_exclusive(target)) std::this_thread::yield();
  }
};

TEST(WindowLocks, of_one_target_and_of_all_order_what_their_holders_read_and_write) {
  constexpr int kThreads = 3, kTimes = 3000;
  WindowLocks locks;
  std::atomic<long> read{0};
  in_threads(kThreads, [&](int thread) {
    for (int i = 0; i < kTimes; ++i) {
      const int target = (i + thread) % 3;
      if (target < WindowLocks::kTargets) {
        locks.lock(target);
        locks.numbers[target] += 1;
        give_back(locks.targets[target], kWriters);
      } else {
        locks.lock_all();
        read.fetch_add(locks.numbers[0] + locks.numbers[1] > 0 ? 1 : 0, std::memory_order_relaxed);
        give_back(locks.all, kReaders);
      }
    }
  });
  EXPECT_EQ(locks.numbers[0], kTimes);
  EXPECT_EQ(locks.numbers[1], kTimes);
}

TEST(WindowLocks, take_a_target_alone_while_nobody_locks_all) {
  WindowLocks locks;
  EXPECT_FALSE(core::mpi::needs_target_alone(locks.all)) << "the first one tells of itself";
  locks.lock(0);
  EXPECT_TRUE(core::mpi::needs_target_alone(locks.all));
  take(locks.all, kReaders);
  EXPECT_FALSE(core::mpi::needs_target_alone(locks.all));
  give_back(locks.all, kReaders);
  bool counted = false;
  EXPECT_EQ(taking(locks.all, kReaders).announce(&counted), Status::ok);
  EXPECT_FALSE(core::mpi::needs_target_alone(locks.all)) << "a rank waits for all";
}

/// The words of a rank of a window with so many ranks.
class Posts {
 public:
  explicit Posts(int ranks)
      : has_bits_(core::mpi::has_post_bits(ranks, false)),
        memory_(static_cast<std::size_t>(core::mpi::post_bytes(ranks, has_bits_)) / sizeof(std::uint64_t) + 32) {}

  PostWords &words() {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
    return *reinterpret_cast<PostWords *>((begin + core::kLinePair - 1) / core::kLinePair * core::kLinePair);
  }
  /// By another rank.
  void post(int rank) {
    const auto word_at = [this](std::int64_t offset) {
      return WordHere(*reinterpret_cast<std::atomic<std::uint64_t> *>(reinterpret_cast<char *>(&words()) + offset));
    };
    EXPECT_EQ(core::mpi::enter_post(rank, word_at), Status::ok);
  }
  bool take(int rank) { return core::mpi::take_post(words(), rank, has_bits_); }
  int full_slots() {
    int full = 0;
    for (const std::atomic<std::uint64_t> &slot : words().slots) full += slot.load() != 0 ? 1 : 0;
    return full;
  }

 private:
  bool has_bits_;
  std::vector<std::uint64_t> memory_;
};

TEST(WindowPosts, are_found_once_by_the_rank_that_starts) {
  Posts mine(8);
  mine.post(3);
  EXPECT_FALSE(mine.take(4));
  EXPECT_TRUE(mine.take(3));
  EXPECT_FALSE(mine.take(3));
}

TEST(WindowPosts, find_another_slot_where_one_is_taken) {
  Posts mine(100);
  mine.post(5);
  mine.post(37);
  EXPECT_EQ(mine.full_slots(), 2);
  EXPECT_TRUE(mine.take(5));
  EXPECT_FALSE(mine.take(5));
  mine.post(5);
  EXPECT_TRUE(mine.take(37));
  EXPECT_TRUE(mine.take(5));
  EXPECT_EQ(mine.full_slots(), 0);
}

TEST(WindowPosts, wait_for_no_slot) {
  constexpr int kRanks = 200;
  Posts mine(kRanks);
  for (int round = 0; round < 3; ++round) {
    for (int rank = 0; rank < kRanks; ++rank) mine.post((rank * 7 + round) % kRanks);
    EXPECT_EQ(mine.full_slots(), PostWords::kSlots);
    for (int rank = 0; rank < kRanks; ++rank) {
      EXPECT_TRUE(mine.take(rank));
      EXPECT_FALSE(mine.take(rank));
    }
    EXPECT_EQ(mine.full_slots(), 0);
  }
}

/// Ranks that post to one which starts to them in another order, rounds apart, and more often than there are slots.
TEST(WindowPosts, order_what_is_accessed) {
  constexpr int kRanks = 5, kRounds = 400, kApart = 32;  // their numbers all begin at one slot
  Posts starter(kRanks * kApart), exposers[] = {Posts(1), Posts(1), Posts(1), Posts(1)};
  long values[kRanks - 1] = {}, answers[kRanks - 1] = {};
  in_threads(kRanks, [&](int thread) {
    for (long round = 1; round <= kRounds; ++round) {
      if (thread < kRanks - 1) {
        values[thread] = round;
        starter.post(thread * kApart);
        while (!core::mpi::has_completed(exposers[thread].words(), static_cast<std::uint64_t>(round))) std::this_thread::yield();
        EXPECT_EQ(answers[thread], -round);
        continue;
      }
      for (int i = 0; i < kRanks - 1; ++i) {
        const int rank = static_cast<int>((i + round) % (kRanks - 1));
        while (!starter.take(rank * kApart)) std::this_thread::yield();
        EXPECT_EQ(values[rank], round);
        answers[rank] = -round;
        EXPECT_EQ(core::mpi::count_completed(WordHere(exposers[rank].words().completed)), Status::ok);
      }
    }
  });
}

/// As before, with a list that others keep full.
TEST(WindowPosts, order_what_is_accessed_though_the_list_is_full) {
  constexpr int kRounds = 400, kLast = 99;
  Posts starter(kLast + 1), exposer(1);
  for (int rank = 0; rank < PostWords::kSlots; ++rank) starter.post(rank);
  long value = 0;
  in_threads(2, [&](int thread) {
    for (long round = 1; round <= kRounds; ++round) {
      if (thread == 0) {
        value = round;
        starter.post(kLast);
        while (!core::mpi::has_completed(exposer.words(), static_cast<std::uint64_t>(round))) std::this_thread::yield();
      } else {
        while (!starter.take(kLast)) std::this_thread::yield();
        EXPECT_EQ(value, round);
        EXPECT_EQ(core::mpi::count_completed(WordHere(exposer.words().completed)), Status::ok);
      }
    }
  });
}

/// The words of the places of some ranks.
struct PlaceWords {
  QueuePlaces *all;

  QueuePlaces::Place &at(QueuePlace place) const { return all[place.rank].places[place.number]; }
  WordHere next(QueuePlace place) const { return WordHere(at(place).next); }
  WordHere first(QueuePlace place) const { return WordHere(at(place).first); }
};

TEST(WriterQueue, names_every_place) {
  for (int rank = 0; rank < 3; ++rank)
    for (int number = 0; number < QueuePlaces::kPlaces; ++number) {
      const QueuePlace place = QueuePlace::named(QueuePlace{rank, number}.name());
      EXPECT_EQ(place.rank, rank);
      EXPECT_EQ(place.number, number);
      EXPECT_NE((QueuePlace{rank, number}.name()), 0u);
    }
}

TEST(WriterQueue, has_one_first_rank_at_a_time) {
  constexpr int kThreads = 3, kTimes = 2000;
  std::atomic<std::uint64_t> last{0};
  QueuePlaces places[kThreads] = {};
  long number = 0;
  in_threads(kThreads, [&](int thread) {
    for (int i = 0; i < kTimes; ++i) {
      const QueuePlace mine{thread, i % QueuePlaces::kPlaces};
      const core::mpi::Queueing<WordHere, PlaceWords> queue(WordHere(last), PlaceWords{places}, mine);
      QueuePlaces::Place &place = PlaceWords{places}.at(mine);
      std::uint64_t before = 0;
      int woken = 0;
      EXPECT_EQ(queue.enter(place, &before), Status::ok);
      while (before != 0 && !core::mpi::is_first(place)) std::this_thread::yield();
      number += 1;
      if (queue.leave(place) == Status::ok) continue;
      while (!core::mpi::has_next(place)) std::this_thread::yield();
      EXPECT_EQ(queue.pass_on(place, &woken), Status::ok);
      EXPECT_NE(woken, thread);
    }
  });
  EXPECT_EQ(number, kThreads * kTimes);
  EXPECT_EQ(last.load(), 0u);
}

/// Each thread holds targets of its own, up to several hundred at a time, and gives them back in another order.
TEST(Holds, know_the_targets_of_all_threads) {
  constexpr int kThreads = 3, kTargets = 300, kRounds = 20;
  Holds holds;
  in_threads(kThreads, [&](int thread) {
    const auto target = [=](int i) { return i * 7 % kTargets * kThreads + thread; };
    const auto hold = [](int i) { return i % 2 == 0 ? Hold::shared : Hold::exclusive; };
    for (int round = 0; round < kRounds; ++round) {
      const int count = round % 3 == 0 ? kTargets : 5;
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(holds.of(target(i)), Hold::none);
        holds.set(target(i), hold(i), true);
      }
      for (int i = 0; i < count; ++i) EXPECT_EQ(holds.of(target(i)), hold(i));
      for (int i = count - 1; i >= 0; --i) holds.set(target(i), Hold::none, true);
    }
  });
  for (int i = 0; i < kThreads * kTargets; ++i) EXPECT_EQ(holds.of(i), Hold::none);
}

/// Handles that a thread inserts while others look for them, through several sizes of the table.
TEST(HandleTable, gives_what_a_handle_stands_for) {
  struct Thing {
    std::uintptr_t handle = 0;
  };
  constexpr std::uintptr_t kFirst = 2, kEnd = 1500, kErased = 1'000'000;
  static constinit mpi::HandleTable table;
  std::vector<Thing> things(kEnd);
  const Thing erased{kErased};
  in_threads(3, [&](int thread) {
    for (std::uintptr_t handle = kFirst; handle < kEnd; ++handle) {
      if (thread == 0) {
        things[handle].handle = handle;
        table.insert(handle, &things[handle]);
        table.insert(kErased + handle, &erased);
        table.erase(kErased + handle);
        continue;
      }
      const void *found = table.find(handle);
      for (; !found; found = table.find(handle)) std::this_thread::yield();
      EXPECT_EQ(static_cast<const Thing *>(found)->handle, handle);
      EXPECT_EQ(table.find(kFirst), things.data() + kFirst) << "which stays";
    }
  });
}

}  // namespace
}  // namespace halocline::test
