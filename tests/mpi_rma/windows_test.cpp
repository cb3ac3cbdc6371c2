// The calls of MPI RMA on windows of each kind, as programs make them.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

enum class Kind { allocated, shared, created, created_on_alloc_mem, dynamic };

/// A window over the first ranks' eight numbers each.
class Numbers {
 public:
  static constexpr int kCount = 8;

  explicit Numbers(Kind kind) : kind_(kind) {
    constexpr MPI_Aint bytes = kCount * sizeof(std::int64_t);
    if (kind == Kind::allocated) MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (kind == Kind::shared) MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (kind == Kind::created_on_alloc_mem) MPI_Alloc_mem(bytes, MPI_INFO_NULL, &mine);
    if (kind == Kind::created || kind == Kind::dynamic) mine = own_.data();
    if (kind == Kind::created || kind == Kind::created_on_alloc_mem) MPI_Win_create(mine, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (kind == Kind::dynamic) {
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_attach(win, mine, bytes);
    }
    MPI_Aint base = 0;
    MPI_Get_address(mine, &base);
    MPI_Allgather(&base, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) mine[i] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Numbers() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind_ == Kind::dynamic) MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    if (kind_ == Kind::created_on_alloc_mem) MPI_Free_mem(mine);
  }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;

  MPI_Aint at(int target, int i) const { return kind_ == Kind::dynamic ? MPI_Aint_add(bases_[static_cast<size_t>(target)], 8 * i) : i; }
  void put(std::int64_t value, int target, int i) const { MPI_Put(&value, 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, win); }
  void get(std::int64_t *value, int target, int i) const { MPI_Get(value, 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, win); }

  MPI_Win win = MPI_WIN_NULL;
  std::int64_t *mine = nullptr;

 private:
  Kind kind_;
  std::vector<std::int64_t> own_ = std::vector<std::int64_t>(kCount);
  std::vector<MPI_Aint> bases_ = std::vector<MPI_Aint>(static_cast<size_t>(size()));
};

int next() { return (rank() + 1) % size(); }
int previous() { return (rank() + size() - 1) % size(); }

/// True on several nodes, real or emulated.
bool has_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  int ranks = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  return !halocline::test::everyone(ranks == size()) || std::getenv("HALOCLINE_FAKE_NODES");
}

class MpiWindows : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (has_nodes() && GetParam() == Kind::shared) GTEST_SKIP() << "several nodes share no memory";
  }
};

TEST_P(MpiWindows, a_fence_ends_puts_and_gets) {
  const Numbers numbers(GetParam());
  std::int64_t got = 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, numbers.win);
  numbers.put(1000 + rank(), next(), 0);
  MPI_Win_fence(0, numbers.win);
  EXPECT_EQ(numbers.mine[0], 1000 + previous());
  numbers.get(&got, next(), 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, numbers.win);
  EXPECT_EQ(got, 1000 + rank());
}

TEST_P(MpiWindows, an_exclusive_lock_excludes_all_others) {
  const Numbers numbers(GetParam());
  constexpr int kTimes = 50;
  numbers.mine[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kTimes; ++i) {
    std::int64_t count = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
    numbers.get(&count, 0, 1);
    MPI_Win_flush(0, numbers.win);
    numbers.put(count + 1, 0, 1);
    MPI_Win_unlock(0, numbers.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() != 0) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
  EXPECT_EQ(numbers.mine[1], kTimes * size());
  MPI_Win_unlock(0, numbers.win);
}

TEST_P(MpiWindows, an_exclusive_lock_excludes_those_who_lock_all) {
  const Numbers numbers(GetParam());
  numbers.mine[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 20; ++i) {
    std::int64_t first = 0, second = 0;
    if (rank() == 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
      numbers.put(2 * i + 1, 0, 1);
      MPI_Win_flush(0, numbers.win);
      numbers.put(2 * i + 2, 0, 1);
      MPI_Win_unlock(0, numbers.win);
    } else {
      MPI_Win_lock_all(0, numbers.win);
      numbers.get(&first, 0, 1);
      MPI_Win_flush(0, numbers.win);
      numbers.get(&second, 0, 1);
      MPI_Win_unlock_all(numbers.win);
      EXPECT_EQ(first % 2, 0);
      EXPECT_EQ(second, first);
    }
  }
}

TEST_P(MpiWindows, accumulates_of_all_ranks_add_up) {
  const Numbers numbers(GetParam());
  constexpr int kTimes = 200;
  const std::int64_t one = 1;
  numbers.mine[2] = numbers.mine[3] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, numbers.win);
  for (int i = 0; i < kTimes; ++i) {
    std::int64_t old = -1;
    MPI_Accumulate(&one, 1, MPI_INT64_T, 0, numbers.at(0, 2), 1, MPI_INT64_T, MPI_SUM, numbers.win);
    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, numbers.at(0, 3), MPI_SUM, numbers.win);
    MPI_Win_flush(0, numbers.win);
    EXPECT_GE(old, i);
  }
  MPI_Win_unlock_all(numbers.win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() != 0) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
  EXPECT_EQ(numbers.mine[2], kTimes * size());
  EXPECT_EQ(numbers.mine[3], kTimes * size());
  MPI_Win_unlock(0, numbers.win);
}

TEST_P(MpiWindows, post_and_start_match_and_complete_ends_the_wait) {
  const Numbers numbers(GetParam());
  MPI_Group all = MPI_GROUP_NULL, neighbours = MPI_GROUP_NULL;
  const int ranks[] = {previous(), next()};
  MPI_Win_get_group(numbers.win, &all);
  MPI_Group_incl(all, previous() == next() ? 1 : 2, ranks, &neighbours);
  for (int i = 0; i < 20; ++i) {
    MPI_Win_post(neighbours, 0, numbers.win);
    MPI_Win_start(neighbours, 0, numbers.win);
    numbers.put(rank() * 100 + i, next(), 4);
    MPI_Win_complete(numbers.win);
    int over = i % 2;
    if (over) MPI_Win_wait(numbers.win);
    while (!over) MPI_Win_test(numbers.win, &over);
    EXPECT_EQ(numbers.mine[4], previous() * 100 + i);
  }
  MPI_Group_free(&neighbours);
  MPI_Group_free(&all);
}

TEST_P(MpiWindows, requests_end_in_every_form_of_wait) {
  const Numbers numbers(GetParam());
  std::int64_t value = 7 + rank(), got[] = {0, 0}, message = 0;
  MPI_Request requests[3];
  int done = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, numbers.win);
  MPI_Rput(&value, 1, MPI_INT64_T, next(), numbers.at(next(), 5), 1, MPI_INT64_T, numbers.win, &requests[0]);
  while (!done) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
  MPI_Win_flush(next(), numbers.win);
  for (int i = 0; i < 2; ++i) MPI_Rget(&got[i], 1, MPI_INT64_T, next(), numbers.at(next(), 5), 1, MPI_INT64_T, numbers.win, &requests[i]);
  // Among requests of the host.
  MPI_Irecv(&message, 1, MPI_INT64_T, previous(), 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Send(&value, 1, MPI_INT64_T, next(), 0, MPI_COMM_WORLD);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(got[0], value);
  EXPECT_EQ(got[1], value);
  EXPECT_EQ(message, 7 + previous());
  MPI_Win_unlock(next(), numbers.win);
}

TEST_P(MpiWindows, one_rank_wins_a_compare_and_swap) {
  const Numbers numbers(GetParam());
  const std::int64_t expected = -1, mine = rank();
  std::int64_t old = 0, won = 0, winners = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
  // MPI has no compare and swap of 64 bits that works everywhere: Debian's Open MPI 4.1.4 crashes.
  MPI_Compare_and_swap(&mine, &expected, &old, MPI_INT64_T, 0, numbers.at(0, 6), numbers.win);
  MPI_Win_unlock(0, numbers.win);
  won = old == expected ? 1 : 0;
  MPI_Allreduce(&won, &winners, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(winners, 1);
}

/// A call by which a rank looks whether another has put a number.
enum class Poll { fetch_and_op, get_and_flush, sync, lock, rget };

std::int64_t look(const Numbers &numbers, Poll poll) {
  std::int64_t found = -1;
  const std::int64_t nothing = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (poll == Poll::lock) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
  if (poll == Poll::fetch_and_op) MPI_Fetch_and_op(&nothing, &found, MPI_INT64_T, 0, numbers.at(0, 7), MPI_NO_OP, numbers.win);
  if (poll == Poll::get_and_flush || poll == Poll::lock) numbers.get(&found, 0, 7);
  if (poll == Poll::rget) MPI_Rget(&found, 1, MPI_INT64_T, 0, numbers.at(0, 7), 1, MPI_INT64_T, numbers.win, &request);
  if (poll == Poll::rget) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (poll == Poll::get_and_flush || poll == Poll::fetch_and_op) MPI_Win_flush(0, numbers.win);
  if (poll == Poll::sync) MPI_Win_sync(numbers.win);
  if (poll == Poll::sync) found = *static_cast<volatile std::int64_t *>(numbers.mine + 7);
  if (poll == Poll::lock) MPI_Win_unlock(0, numbers.win);
  return found;
}

class MpiPolls : public testing::TestWithParam<Poll> {};

TEST_P(MpiPolls, drive_the_messages_of_the_host) {
  if (size() == 1) GTEST_SKIP() << "it takes a rank that sends a message";
  const Numbers numbers(Kind::allocated);
  std::vector<char> message(size_t{8} << 20, static_cast<char>('a' + rank()));
  const bool locks = GetParam() == Poll::lock;
  if (!locks) MPI_Win_lock_all(0, numbers.win);
  if (rank() == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    while (look(numbers, GetParam()) != 1) continue;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(message.back(), 'b');
  } else if (rank() == 1) {
    MPI_Ssend(message.data(), static_cast<int>(message.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (locks) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
    numbers.put(1, 0, 7);
    if (locks) MPI_Win_unlock(0, numbers.win);
  }
  if (!locks) MPI_Win_unlock_all(numbers.win);
}

INSTANTIATE_TEST_SUITE_P(Calls, MpiPolls, testing::Values(Poll::fetch_and_op, Poll::get_and_flush, Poll::sync, Poll::lock, Poll::rget));

INSTANTIATE_TEST_SUITE_P(Kinds, MpiWindows,
                         testing::Values(Kind::allocated, Kind::shared, Kind::created, Kind::created_on_alloc_mem, Kind::dynamic));

/// The last rank takes an exclusive lock while the others repeat `lock` and `unlock`, one of which always holds the window.
template <class Lock, class Unlock>
void expect_that_a_writer_gets_in(const Numbers &numbers, Lock lock, Unlock unlock) {
  constexpr int kRounds = 20;
  for (std::int64_t round = 0; round < kRounds; ++round) {
    numbers.mine[0] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == size() - 1) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
      numbers.put(round, 0, 0);
      MPI_Win_unlock(0, numbers.win);
    } else {
      for (std::int64_t found = -1; found != round;) {
        lock();
        for (int i = 0; i < 2000; ++i) numbers.get(&found, 0, 0);
        MPI_Win_flush(0, numbers.win);
        unlock();
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(MpiLocks, readers_do_not_keep_a_writer_out) {
  const Numbers numbers(Kind::allocated);
  expect_that_a_writer_gets_in(numbers, [&] { MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win); }, [&] { MPI_Win_unlock(0, numbers.win); });
  expect_that_a_writer_gets_in(numbers, [&] { MPI_Win_lock_all(0, numbers.win); }, [&] { MPI_Win_unlock_all(numbers.win); });
}

/// Two readers relay a lock: each gives it back once the other has one, or 10 ms later. So one of them always holds it, unless a waiting writer
/// keeps new readers out. `notes` at rank 0: 0 the writer has written, 1 it begins to wait, 2 and 3 how often each reader has had the lock.
class Relay {
 public:
  explicit Relay(const Numbers &notes) : notes_(notes) {}

  std::int64_t read(int i) const {
    std::int64_t found = 0;
    notes_.get(&found, 0, i);
    MPI_Win_flush(0, notes_.win);
    return found;
  }
  void write(std::int64_t value, int i) const {
    notes_.put(value, 0, i);
    MPI_Win_flush(0, notes_.win);
  }
  /// False if this reader has had the lock that often while the writer waited, and for a second: a writer that has said that it begins to wait may
  /// lose its core before it does.
  template <class Lock, class Unlock>
  bool is_broken(Lock lock, Unlock unlock) const {
    int times = 0;
    double begin = MPI_Wtime();
    for (std::int64_t taken = 1; read(0) != 1; ++taken) {
      if (times == 0) begin = MPI_Wtime();
      lock();
      const std::int64_t before = read(3 - rank());
      write(taken, 2 + rank());
      usleep(100);
      const double end = MPI_Wtime() + 0.010;
      while (read(3 - rank()) == before && MPI_Wtime() < end) continue;
      unlock();
      times += read(1) == 1 ? 1 : 0;
      if (times >= kMax && MPI_Wtime() - begin > 1) return false;
    }
    return true;
  }
  static constexpr int kMax = 400;

 private:
  const Numbers &notes_;
};

template <class Lock, class Unlock>
void expect_that_a_writer_breaks_a_relay(Lock lock, Unlock unlock) {
  const Numbers numbers(Kind::allocated), notes(Kind::allocated);
  const Relay relay(notes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, notes.win);
  if (rank() < 2) {
    EXPECT_TRUE(relay.is_broken([&] { lock(numbers.win); }, [&] { unlock(numbers.win); })) << "the writer did not get in";
  } else if (rank() == 2) {
    while (relay.read(2) < 1 || relay.read(3) < 1) continue;
    relay.write(1, 1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
    relay.write(1, 0);
    MPI_Win_unlock(0, numbers.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(notes.win);
}

TEST(MpiLocks, a_waiting_writer_breaks_a_relay_of_readers) {
  if (size() < 3) GTEST_SKIP() << "it takes three ranks";
  expect_that_a_writer_breaks_a_relay([](MPI_Win win) { MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); },
                                      [](MPI_Win win) { MPI_Win_unlock(0, win); });
  expect_that_a_writer_breaks_a_relay([](MPI_Win win) { MPI_Win_lock_all(0, win); }, [](MPI_Win win) { MPI_Win_unlock_all(win); });
}

TEST(MpiLocks, writers_do_not_keep_a_reader_out) {
  const Numbers numbers(Kind::allocated);
  if (rank() == 0) numbers.mine[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const bool reads = rank() == size() - 1;
  for (int i = 0; reads && i < 40; ++i) {
    std::int64_t found = 0;
    i % 2 ? MPI_Win_lock_all(0, numbers.win) : MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
    numbers.get(&found, 0, 0);
    EXPECT_EQ(found, 0) << "the writers end when the reader has";
    i % 2 ? MPI_Win_unlock_all(numbers.win) : MPI_Win_unlock(0, numbers.win);
  }
  if (reads) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
    numbers.put(1, 0, 0);
    MPI_Win_unlock(0, numbers.win);
  }
  for (std::int64_t over = reads ? 1 : 0; !over;) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
    for (int k = 0; k < 2000; ++k) numbers.get(&over, 0, 0);
    MPI_Win_unlock(0, numbers.win);
  }
}

/// The first rank holds a shared lock until the second has had one. The third waits for an exclusive one meanwhile.
TEST(MpiLocks, a_waiting_writer_does_not_keep_a_reader_out_for_ever) {
  if (size() < 3) GTEST_SKIP() << "it takes three ranks";
  const Numbers numbers(Kind::allocated);
  int token = 0;
  if (rank() < 2) {
    if (rank() == 1) MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, numbers.win);
    if (rank() == 0) {
      MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
      usleep(20'000);  // the third rank waits by now
      MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock(0, numbers.win);
    if (rank() == 1) MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else if (rank() == 2) {
    MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers.win);
    MPI_Win_unlock(0, numbers.win);
  }
}

TEST(MpiWindow, answers_what_it_is) {
  std::int64_t *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  void *found = nullptr;
  int has = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &found, &has);
  EXPECT_TRUE(has);
  EXPECT_EQ(found, mine);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &found, &has);
  EXPECT_EQ(*static_cast<MPI_Aint *>(found), 64);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &has);
  EXPECT_EQ(*static_cast<int *>(found), 8);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &found, &has);
  EXPECT_EQ(*static_cast<int *>(found), MPI_WIN_FLAVOR_ALLOCATE);
  MPI_Win_set_name(win, "numbers");
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Win_get_name(win, name, &length);
  EXPECT_STREQ(name, "numbers");
  MPI_Win_free(&win);
  EXPECT_EQ(win, MPI_WIN_NULL);
}

TEST(MpiDynamicWindow, keeps_what_several_threads_attach) {
  constexpr int kThreads = 4, kRegions = 100;
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI_THREAD_MULTIPLE is not provided";
  MPI_Win win = MPI_WIN_NULL;
  std::vector<std::int64_t> memory(kThreads * kRegions);
  const auto each_of = [&](int thread, auto work) {
    for (int i = 0; i < kRegions; ++i) work(&memory[static_cast<size_t>(thread * kRegions + i)]);
  };
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  int lost = 0;
  // Fewer rounds where each registration takes milliseconds.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int round = 0; round < 50 && (round == 0 || std::chrono::steady_clock::now() < end); ++round) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        ready += 1;
        while (ready < kThreads) std::this_thread::yield();
        each_of(thread, [&](std::int64_t *base) { MPI_Win_attach(win, base, 8); });
      });
    for (std::thread &thread : threads) thread.join();
    for (int thread = 0; thread < kThreads; ++thread)
      each_of(thread, [&](std::int64_t *base) { lost += MPI_Win_detach(win, base) == MPI_SUCCESS ? 0 : 1; });
  }
  EXPECT_EQ(lost, 0);
  MPI_Win_free(&win);
}

TEST(MpiDynamicWindow, takes_attachments_without_bytes) {
  MPI_Win win = MPI_WIN_NULL;
  std::int64_t number = 0;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_Win_attach(win, &number, 0), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_detach(win, &number), MPI_SUCCESS);
  MPI_Win_free(&win);
}

TEST(MpiDynamicWindow, is_reached_by_one_datatype_in_several_regions) {
  MPI_Win win = MPI_WIN_NULL;
  std::vector<std::int64_t> first(4, -1), second(4, -1), got(6, -1);
  const std::int64_t values[] = {1, 2, 3, 4, 5, 6};
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_attach(win, first.data(), 32);
  // Two that adjoin.
  MPI_Win_attach(win, second.data(), 16);
  MPI_Win_attach(win, second.data() + 2, 16);
  MPI_Aint mine[2];
  MPI_Get_address(first.data(), &mine[0]);
  MPI_Get_address(second.data(), &mine[1]);
  std::vector<MPI_Aint> all(static_cast<size_t>(2 * size()));
  MPI_Allgather(mine, 2, MPI_AINT, all.data(), 2, MPI_AINT, MPI_COMM_WORLD);
  const int lengths[] = {2, 4};
  MPI_Datatype both = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(2, lengths, &all[static_cast<size_t>(2 * next())], MPI_INT64_T, &both);
  MPI_Type_commit(&both);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Put(values, 6, MPI_INT64_T, next(), 0, 1, both, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Get(got.data(), 6, MPI_INT64_T, next(), 0, 1, both, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  EXPECT_EQ(first, (std::vector<std::int64_t>{1, 2, -1, -1}));
  EXPECT_EQ(second, (std::vector<std::int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(got, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  MPI_Type_free(&both);
  MPI_Win_free(&win);
}

TEST(MpiDynamicWindow, is_reached_in_a_thousand_regions) {
  MPI_Win win = MPI_WIN_NULL;
  std::vector<std::int64_t> memory(1100, -1);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (std::int64_t &number : memory) MPI_Win_attach(win, &number, 8);
  MPI_Aint mine = 0;
  MPI_Get_address(memory.data(), &mine);
  std::vector<MPI_Aint> all(static_cast<size_t>(size()));
  MPI_Allgather(&mine, 1, MPI_AINT, all.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  std::vector<std::int64_t> values(memory.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = 10'000 * rank() + static_cast<std::int64_t>(i);
  MPI_Win_fence(0, win);
  MPI_Put(values.data(), 1100, MPI_INT64_T, next(), all[static_cast<size_t>(next())], 1100, MPI_INT64_T, win);
  MPI_Win_fence(0, win);
  for (size_t i = 0; i < memory.size(); ++i) ASSERT_EQ(memory[i], 10'000 * previous() + static_cast<std::int64_t>(i));
  for (std::int64_t &number : memory) MPI_Win_detach(win, &number);
  MPI_Win_free(&win);
}

/// A rank of another node keeps what it has read of the list of attachments.
TEST(MpiDynamicWindow, is_reached_where_memory_is_attached_anew) {
  constexpr int kMax = 3;
  MPI_Win win = MPI_WIN_NULL;
  std::vector<std::int64_t> memory(kMax, -1);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Aint mine = 0;
  MPI_Get_address(memory.data(), &mine);
  std::vector<MPI_Aint> all(static_cast<size_t>(size()));
  MPI_Allgather(&mine, 1, MPI_AINT, all.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  for (std::int64_t numbers = 1; numbers <= kMax; ++numbers) {
    MPI_Win_attach(win, memory.data(), 8 * numbers);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t value = 10 * numbers + rank();
    const MPI_Aint last = MPI_Aint_add(all[static_cast<size_t>(next())], 8 * (numbers - 1));
    MPI_Win_lock_all(0, win);
    EXPECT_EQ(MPI_Put(&value, 1, MPI_INT64_T, next(), last, 1, MPI_INT64_T, win), MPI_SUCCESS);
    EXPECT_NE(MPI_Put(&value, 1, MPI_INT64_T, next(), MPI_Aint_add(last, 8), 1, MPI_INT64_T, win), MPI_SUCCESS) << "it is not attached";
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(memory[static_cast<size_t>(numbers - 1)], 10 * numbers + previous());
    MPI_Win_detach(win, memory.data());
  }
  MPI_Win_free(&win);
}

TEST(MpiWindow, of_private_memory_answers_MPI_PROC_NULL_alike_on_all_ranks) {
  std::int64_t memory[2] = {0, 0}, *found = memory + 1;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Aint bytes = -1;
  int unit = 0;
  MPI_Win_create(memory, rank() == 0 ? 16 : 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found);
  EXPECT_EQ(bytes, rank() == 0 ? 16 : 0) << "of rank 0, whose memory no other rank can load from";
  EXPECT_EQ(found, rank() == 0 ? memory : nullptr);
  MPI_Win_shared_query(win, rank(), &bytes, &unit, &found);
  EXPECT_EQ(bytes, rank() == 0 ? 16 : 8);
  EXPECT_EQ(found, memory);
  MPI_Win_free(&win);
}

/// Address space that costs nothing before it is touched.
class Vast {
 public:
  static constexpr size_t kBytes = size_t{4} << 40;
  Vast() : base(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Vast() {
    if (exists()) munmap(base, kBytes);
  }
  Vast(const Vast &) = delete;
  Vast &operator=(const Vast &) = delete;
  bool exists() const { return base != MAP_FAILED; }
  void *base;
};

TEST(MpiWindow, accumulates_elements_that_lie_far_apart_in_private_memory) {
  const Vast memory;
  if (!halocline::test::everyone(memory.exists())) GTEST_SKIP() << "the system gives no address space of 4 TiB";
  struct DoubleInt {
    double value;
    int place;
  };
  constexpr MPI_Aint kApart = MPI_Aint{3} << 40;
  auto *const first = static_cast<DoubleInt *>(memory.base);
  auto *const second = reinterpret_cast<DoubleInt *>(static_cast<char *>(memory.base) + kApart);
  *first = {1.5, 10};
  *second = {2.5, 20};
  MPI_Win win = MPI_WIN_NULL;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(2, 1, kApart, MPI_DOUBLE_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int created = MPI_Win_create(memory.base, static_cast<MPI_Aint>(Vast::kBytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (created != MPI_SUCCESS) {
    MPI_Type_free(&pair);
    GTEST_SKIP() << "the network keeps all bytes of a window in memory";
  }
  const DoubleInt mine[] = {{1.0, 1}, {9.5, 2}};
  DoubleInt old[] = {{0, 0}, {0, 0}};
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Accumulate(mine, 2, MPI_DOUBLE_INT, next(), 0, 1, pair, MPI_MAXLOC, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  EXPECT_EQ(first->value, 1.5);
  EXPECT_EQ(first->place, 10);
  EXPECT_EQ(second->value, 9.5);
  EXPECT_EQ(second->place, 2);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Get_accumulate(mine, 2, MPI_DOUBLE_INT, old, 2, MPI_DOUBLE_INT, next(), 0, 1, pair, MPI_REPLACE, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  EXPECT_EQ(old[0].value, 1.5);
  EXPECT_EQ(old[1].place, 2);
  EXPECT_EQ(first->place, 1);
  EXPECT_EQ(second->value, 9.5);
  MPI_Win_free(&win);
  MPI_Type_free(&pair);
}

/// What the delete callback of an attribute sees, and how often it still fails.
struct Deletion {
  int failures = 0;
  void *base = nullptr;
  MPI_Aint bytes = 0;
  int ranks = 0;
};

int see_deletion(MPI_Win win, int, void *, void *extra) {
  Deletion &seen = *static_cast<Deletion *>(extra);
  void *found = nullptr;
  int has = 0;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &seen.base, &has);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &found, &has);
  seen.bytes = *static_cast<MPI_Aint *>(found);
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &seen.ranks);
  MPI_Group_free(&group);
  return seen.failures-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

TEST(MpiWindow, is_there_in_its_delete_callbacks_and_after_one_that_fails) {
  std::int64_t *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  int key = MPI_KEYVAL_INVALID;
  Deletion seen;
  seen.failures = rank() == 0 ? 1 : 0;
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, see_deletion, &key, &seen);
  MPI_Win_set_attr(win, key, mine);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  int code = MPI_Win_free(&win);
  EXPECT_EQ(seen.base, mine);
  EXPECT_EQ(seen.bytes, 64);
  EXPECT_EQ(seen.ranks, size());
  if (win != MPI_WIN_NULL) {
    EXPECT_NE(code, MPI_SUCCESS);
    const std::int64_t number = 5;
    MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, win);
    EXPECT_EQ(MPI_Put(&number, 1, MPI_INT64_T, rank(), 1, 1, MPI_INT64_T, win), MPI_SUCCESS);
    MPI_Win_unlock(rank(), win);
    EXPECT_EQ(mine[1], 5);
    code = MPI_Win_free(&win);
  }
  EXPECT_EQ(win, MPI_WIN_NULL);
  EXPECT_EQ(code, MPI_SUCCESS);
  MPI_Win_free_keyval(&key);
}

TEST(MpiWindow, shared_memory_lies_in_a_row) {
  if (has_nodes()) GTEST_SKIP() << "the MPI does not know of the pretended nodes";
  char *mine = nullptr, *theirs = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int me = 0;
  MPI_Comm_rank(node, &me);
  MPI_Win_allocate_shared(16 * (me + 1), 1, MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_fence(0, win);
  mine[0] = static_cast<char>('a' + me);
  MPI_Win_fence(0, win);
  if (me > 0) {
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(win, me - 1, &bytes, &unit, &theirs);
    EXPECT_EQ(bytes, 16 * me);
    EXPECT_EQ(theirs + bytes, mine);
    EXPECT_EQ(theirs[0], 'a' + me - 1);
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

TEST(MpiWindow, has_no_address_where_it_has_no_bytes) {
  if (has_nodes()) GTEST_SKIP() << "ranks of several nodes share no memory";
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  char *mine = nullptr, *theirs = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate_shared(rank() % 2 == 0 ? 16 : 0, 1, info, MPI_COMM_WORLD, &mine, &win);
  for (int other = 0; other < size(); ++other) {
    MPI_Aint bytes = -1;
    int unit = 0;
    MPI_Win_shared_query(win, other, &bytes, &unit, &theirs);
    EXPECT_EQ(bytes, other % 2 == 0 ? 16 : 0);
    EXPECT_EQ(theirs == nullptr, other % 2 == 1);
  }
  MPI_Win_free(&win);
  MPI_Info_free(&info);
}

TEST(MpiWindow, exists_beside_many_others) {
  std::vector<MPI_Win> windows(300);
  std::vector<int *> memory(windows.size());
  for (size_t i = 0; i < windows.size(); ++i) MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_SELF, &memory[i], &windows[i]);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int number = static_cast<int>(i);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[i]);
    MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[i]);
    MPI_Win_unlock(0, windows[i]);
  }
  for (size_t i = 0; i < windows.size(); ++i) EXPECT_EQ(*memory[i], static_cast<int>(i));
  for (MPI_Win &win : windows) MPI_Win_free(&win);
}

}  // namespace
