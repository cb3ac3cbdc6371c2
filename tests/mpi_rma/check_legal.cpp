// Random programs that keep the rules, with threads, polling and all kinds of synchronisation, for HALOCLINE_CHECK=1. None may be reported.
// Each is a few scenes on one window, whose results are checked as well. It uses nothing
// but MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Word = std::int64_t;
constexpr int kWords = 64, kSlots = 16, kMaxThreads = 3, kTag = 5;
/// Words of a rank: for locks, counters and hand-overs; from kSlots on each thread of each rank has some for itself.
enum Place { counter = 0, handed = 1, ticket = 2, serving = 3, guarded = 4 };

std::atomic<int> conflicts{0}, faults{0};

void count_conflict(MPI_Win *, int *code, ...) {
  std::fprintf(stderr, "the window's error handler is called with code %d\n", *code);
  ++conflicts;
}

/// The choices that all ranks make alike, and those of one rank.
struct Choices {
  std::mt19937_64 shared, own;
  int together(int most) { return static_cast<int>(shared() % static_cast<std::uint64_t>(most)); }
  int alone(int most) { return static_cast<int>(own() % static_cast<std::uint64_t>(most)); }
};

class Case {
 public:
  Case(std::uint64_t seed, int number, int delay_us);
  ~Case();
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;
  void play();

 private:
  void make_window();
  // Scenes.
  void count_by_threads();
  void hand_over_by_fetching();
  void hand_over_by_loads();
  void meet_at_a_counter();
  void take_tickets();
  void lock_different_targets();
  void wait_for_requests();
  void fence_epochs();
  void exposures();
  void reuse_buffers();

  MPI_Aint at(int target, int word) const { return bases_.empty() ? word : bases_[static_cast<std::size_t>(target)] + 8 * word; }
  int slot(int thread, int i) const { return kSlots + (rank_ * kMaxThreads + thread) * 4 + i; }
  void by_threads(const std::function<void(int, std::mt19937_64 &)> &work);
  void pause(std::mt19937_64 &random) const {
    if (delay_us_ > 0 && random() % 3 == 0) usleep(static_cast<useconds_t>(random() % static_cast<std::uint64_t>(delay_us_)));
  }
  void tell(int whom) const { MPI_Send(nullptr, 0, MPI_INT, whom, kTag, MPI_COMM_WORLD); }
  void hear(int whom) const { MPI_Recv(nullptr, 0, MPI_INT, whom, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
  void flush(int target, std::mt19937_64 &random) const { random() % 2 ? MPI_Win_flush(target, win_) : MPI_Win_flush_all(win_); }
  Word fetch(int target, int word) const;
  void await_by_fetching(int target, int word, Word value) const;
  void await_by_loads(int word, Word value) const;
  void send_value(int target, int word, Word value);
  void take_back(int writer, int target, int word);
  void expect(const char *what, Word found, Word right) const;
  void clear();

  Choices choices_;
  int delay_us_, rank_ = 0, ranks_ = 1, flavor_ = 0;
  std::string name_;
  MPI_Win win_ = MPI_WIN_NULL;
  Word *mine_ = nullptr;
  std::vector<Word> own_ = std::vector<Word>(kWords);
  std::vector<MPI_Aint> bases_;
};

Case::Case(std::uint64_t seed, int number, int delay_us) : delay_us_(delay_us) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  const std::uint64_t both = seed * 1'000'003 + static_cast<std::uint64_t>(number);
  choices_.shared.seed(both);
  choices_.own.seed(both * 31 + static_cast<std::uint64_t>(rank_) + 1);
  flavor_ = choices_.together(std::getenv("HALOCLINE_FAKE_NODES") ? 3 : 4);
  name_ = "seed " + std::to_string(seed) + ", case " + std::to_string(number) + ", flavor " + std::to_string(flavor_);
  make_window();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(count_conflict, &handler);
  MPI_Win_set_errhandler(win_, handler);
  MPI_Errhandler_free(&handler);
}

void Case::make_window() {
  if (flavor_ == 0) MPI_Win_allocate(kWords * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &win_);
  if (flavor_ == 3) MPI_Win_allocate_shared(kWords * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &win_);
  if (flavor_ == 1 || flavor_ == 2) mine_ = own_.data();
  if (flavor_ == 1) MPI_Win_create(mine_, kWords * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
  if (flavor_ != 2) return;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
  MPI_Win_attach(win_, mine_, kWords * 8);
  MPI_Aint base = 0;
  MPI_Get_address(mine_, &base);
  bases_.resize(static_cast<std::size_t>(ranks_));
  MPI_Allgather(&base, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, MPI_COMM_WORLD);
}

Case::~Case() {
  MPI_Barrier(MPI_COMM_WORLD);
  if (flavor_ == 2) MPI_Win_detach(win_, mine_);
  MPI_Win_free(&win_);
}

/// Between scenes, when no access is under way.
void Case::clear() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_, 0, win_);
  for (int i = 0; i < kWords; ++i) mine_[i] = 0;
  MPI_Win_unlock(rank_, win_);
  MPI_Barrier(MPI_COMM_WORLD);
}

void Case::play() {
  using Scene = void (Case::*)();
  constexpr Scene scenes[] = {&Case::count_by_threads, &Case::hand_over_by_fetching,  &Case::hand_over_by_loads, &Case::meet_at_a_counter,
                              &Case::take_tickets,     &Case::lock_different_targets, &Case::wait_for_requests,  &Case::fence_epochs,
                              &Case::exposures,        &Case::reuse_buffers};
  for (int i = 0; i < 3; ++i) {
    clear();
    (this->*scenes[choices_.together(static_cast<int>(std::size(scenes)))])();
  }
}

/// One to three threads of each rank, this one among them. MPI may have fewer.
void Case::by_threads(const std::function<void(int, std::mt19937_64 &)> &work) {
  int level = 0;
  MPI_Query_thread(&level);
  const int count = level == MPI_THREAD_MULTIPLE ? 1 + choices_.alone(kMaxThreads) : 1;
  std::vector<std::thread> others;
  std::vector<std::mt19937_64> random;
  for (int i = 0; i < count; ++i) random.emplace_back(choices_.own());
  for (int i = 1; i < count; ++i) others.emplace_back([&, i] { work(i, random[static_cast<std::size_t>(i)]); });
  work(0, random[0]);
  for (std::thread &other : others) other.join();
}

void Case::expect(const char *what, Word found, Word right) const {
  if (found == right) return;
  std::fprintf(stderr, "%s, rank %d: %s is %lld, expected %lld\n", name_.c_str(), rank_, what, static_cast<long long>(found),
               static_cast<long long>(right));
  ++faults;
}

Word Case::fetch(int target, int word) const {
  Word got = -7;
  MPI_Fetch_and_op(nullptr, &got, MPI_INT64_T, target, at(target, word), MPI_NO_OP, win_);
  MPI_Win_flush(target, win_);
  return got;
}

void Case::await_by_fetching(int target, int word, Word value) const {
  while (fetch(target, word) != value) std::this_thread::yield();
}

/// In the unified memory model what others write appears here; MPI_Win_sync orders what follows behind it.
void Case::await_by_loads(int word, Word value) const {
  for (bool is_there = false; !is_there; std::this_thread::yield()) {
    is_there = reinterpret_cast<std::atomic<Word> *>(mine_ + word)->load() == value;
    MPI_Win_sync(win_);
  }
}

// ---------------------------------------------------------------- atomics

/// Several threads change one word, each with buffers of its own, and flush by themselves.
void Case::count_by_threads() {
  const int target = choices_.together(ranks_), rounds = 1 + choices_.together(4);
  std::atomic<Word> added{0};
  MPI_Win_lock_all(0, win_);
  by_threads([&](int, std::mt19937_64 &random) {
    Word seen = 0, next = 0, old = 0;
    const Word one = 1;
    for (int i = 0; i < rounds; ++i, ++added) {
      const auto way = random() % 3;
      if (way == 0) MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, at(target, counter), MPI_SUM, win_);
      if (way == 1) MPI_Accumulate(&one, 1, MPI_INT64_T, target, at(target, counter), 1, MPI_INT64_T, MPI_SUM, win_);
      pause(random);
      flush(target, random);
      for (bool done = way < 2; !done; seen = old) {
        next = seen + 1;
        MPI_Compare_and_swap(&next, &seen, &old, MPI_INT64_T, target, at(target, counter), win_);
        flush(target, random);
        done = old == seen;
      }
    }
  });
  MPI_Win_unlock_all(win_);
  Word mine = added, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_);
  if (rank_ == target) expect("the sum of all threads", mine_[counter], all);
  MPI_Win_unlock(rank_, win_);
}

/// It is flushed late. A rank that waits for the value sees it before.
void Case::send_value(int target, int word, Word value) {
  MPI_Accumulate(&value, 1, MPI_INT64_T, target, at(target, word), 1, MPI_INT64_T, MPI_REPLACE, win_);
  pause(choices_.own);
  MPI_Win_flush(target, win_);
}

/// Another rank, which has seen the value or was told of it, writes to the same word.
void Case::take_back(int writer, int target, int word) {
  const Word none = -1;
  if (rank_ != writer) return;
  if (writer == target && choices_.alone(2)) {
    MPI_Win_sync(win_);
    mine_[word] = none;
    MPI_Win_sync(win_);
  } else if (choices_.alone(2)) {
    MPI_Put(&none, 1, MPI_INT64_T, target, at(target, word), 1, MPI_INT64_T, win_);
    MPI_Win_flush(target, win_);
  } else {
    MPI_Accumulate(&none, 1, MPI_INT64_T, target, at(target, word), 1, MPI_INT64_T, MPI_BOR, win_);
    MPI_Win_flush(target, win_);
  }
}

/// One rank sends a value, another polls for it by MPI_Fetch_and_op. One of them, or a third one, takes it back. No rank polls meanwhile: a put
/// and an accumulate at the same time are an error.
void Case::hand_over_by_fetching() {
  const int from = choices_.together(ranks_), target = choices_.together(ranks_),
            poller = (from + 1 + choices_.together(ranks_ - 1)) % ranks_;
  int writer = choices_.together(ranks_);
  if (writer == from) writer = poller;
  MPI_Win_lock_all(0, win_);
  for (Word i = 1; i <= 3; ++i) {
    if (rank_ == from) send_value(target, handed, i), hear(writer);
    if (rank_ == poller) await_by_fetching(target, handed, i);
    if (rank_ == poller && writer != poller) tell(writer), hear(writer);
    if (rank_ == writer && writer != poller) hear(poller);
    take_back(writer, target, handed);
    if (rank_ == writer) expect("the word that was taken back", fetch(target, handed), -1), tell(from);
    if (rank_ == writer && writer != poller) tell(poller);
  }
  MPI_Win_unlock_all(win_);
}

/// The same by loads of the target, for what is put as well.
void Case::hand_over_by_loads() {
  const int from = choices_.together(ranks_), target = (from + 1 + choices_.together(ranks_ - 1)) % ranks_;
  int writer = choices_.together(ranks_);
  if (writer == from) writer = target;
  MPI_Win_lock_all(0, win_);
  for (Word i = 1; i <= 3; ++i) {
    if (rank_ == from && choices_.alone(2)) {
      MPI_Put(&i, 1, MPI_INT64_T, target, at(target, handed), 1, MPI_INT64_T, win_);
      pause(choices_.own);
      MPI_Win_flush(target, win_);
    } else if (rank_ == from) {
      send_value(target, handed, i);
    }
    if (rank_ == from) hear(writer);
    if (rank_ == target) await_by_loads(handed, i);
    if (rank_ == target && writer != target) tell(writer);
    if (rank_ == writer && writer != target) hear(target);
    take_back(writer, target, handed);
    if (rank_ == writer) expect("the word that was taken back", fetch(target, handed), -1), tell(from);
  }
  MPI_Win_unlock_all(win_);
}

/// The last one to arrive knows that all have. It sets the counter to 0 by a put, while others may still be before their flushes.
void Case::meet_at_a_counter() {
  const int root = choices_.together(ranks_);
  const Word one = 1, zero = 0;
  Word before = 0;
  MPI_Win_lock_all(0, win_);
  for (Word round = 1; round <= 3; ++round) {
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, root, at(root, counter), MPI_SUM, win_);
    pause(choices_.own);
    MPI_Win_flush(root, win_);
    if (before == ranks_ - 1) {
      MPI_Put(&zero, 1, MPI_INT64_T, root, at(root, counter), 1, MPI_INT64_T, win_);
      MPI_Win_flush(root, win_);
      for (int rank = 0; rank < ranks_; ++rank) send_value(rank, handed, round);
    }
    choices_.alone(2) ? await_by_loads(handed, round) : await_by_fetching(rank_, handed, round);
  }
  MPI_Win_unlock_all(win_);
}

/// A lock of tickets guards a number that is got and put. Its release is flushed late.
void Case::take_tickets() {
  const int root = choices_.together(ranks_);
  const Word one = 1;
  Word mine = 0, number = 0;
  MPI_Win_lock_all(0, win_);
  for (int i = 0; i < 2; ++i) {
    MPI_Fetch_and_op(&one, &mine, MPI_INT64_T, root, at(root, ticket), MPI_SUM, win_);
    MPI_Win_flush(root, win_);
    await_by_fetching(root, serving, mine);
    MPI_Get(&number, 1, MPI_INT64_T, root, at(root, guarded), 1, MPI_INT64_T, win_);
    MPI_Win_flush(root, win_);
    number += 1;
    MPI_Put(&number, 1, MPI_INT64_T, root, at(root, guarded), 1, MPI_INT64_T, win_);
    MPI_Win_flush(root, win_);
    MPI_Accumulate(&one, 1, MPI_INT64_T, root, at(root, serving), 1, MPI_INT64_T, MPI_SUM, win_);
    pause(choices_.own);
    MPI_Win_flush(root, win_);
  }
  MPI_Win_unlock_all(win_);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_);
  if (rank_ == root) expect("the guarded number", mine_[guarded], 2 * ranks_);
  MPI_Win_unlock(rank_, win_);
}

// ---------------------------------------------------------------- locks, requests, buffers

/// Each thread locks a target of its own at a time.
void Case::lock_different_targets() {
  std::atomic<int> added{0};
  by_threads([&](int thread, std::mt19937_64 &random) {
    if (thread >= ranks_) return;
    const int target = (rank_ + thread) % ranks_;
    Word number = 0;
    for (int i = 0; i < 3; ++i, ++added) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win_);
      MPI_Get(&number, 1, MPI_INT64_T, target, at(target, guarded), 1, MPI_INT64_T, win_);
      MPI_Win_flush(target, win_);
      number += 1;
      MPI_Put(&number, 1, MPI_INT64_T, target, at(target, guarded), 1, MPI_INT64_T, win_);
      pause(random);
      MPI_Win_unlock(target, win_);
    }
  });
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_);
  Word here = mine_[guarded], all = 0, right = 0, mine = added;
  MPI_Win_unlock(rank_, win_);
  MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &right, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  expect("the sum under locks", all, right);
}

/// A request that was waited for gives its buffer back. What it has fetched is complete.
void Case::wait_for_requests() {
  const int target = choices_.alone(ranks_);
  MPI_Win_lock_all(0, win_);
  by_threads([&](int thread, std::mt19937_64 &random) {
    Word number = 5, got = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Aint place = at(target, slot(thread, 0)), other = at(target, slot(thread, 1));
    const auto wait = [&] {
      pause(random);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    };
    MPI_Rput(&number, 1, MPI_INT64_T, target, place, 1, MPI_INT64_T, win_, &request), wait();
    number = 6;
    MPI_Raccumulate(&number, 1, MPI_INT64_T, target, other, 1, MPI_INT64_T, MPI_SUM, win_, &request), wait();
    number = 7;
    flush(target, random);
    MPI_Rget(&number, 1, MPI_INT64_T, target, place, 1, MPI_INT64_T, win_, &request), wait();
    expect("what a request has got", number, 5);
    MPI_Rget_accumulate(&number, 1, MPI_INT64_T, &got, 1, MPI_INT64_T, target, other, 1, MPI_INT64_T, MPI_SUM, win_, &request), wait();
    expect("what a request has fetched", got, 6);
    MPI_Rput(&got, 1, MPI_INT64_T, target, place, 1, MPI_INT64_T, win_, &request), wait();
  });
  MPI_Win_unlock_all(win_);
}

void Case::reuse_buffers() {
  const int target = choices_.alone(ranks_);
  MPI_Win_lock_all(0, win_);
  by_threads([&](int thread, std::mt19937_64 &random) {
    Word number = 0;
    for (int i = 0; i < 4; ++i) {
      number = 10 + i;
      MPI_Put(&number, 1, MPI_INT64_T, target, at(target, slot(thread, i)), 1, MPI_INT64_T, win_);
      pause(random);
      random() % 2 ? MPI_Win_flush_local(target, win_) : MPI_Win_flush_local_all(win_);
    }
    MPI_Win_flush(target, win_);
    for (int i = 0; i < 4; ++i) {
      MPI_Get(&number, 1, MPI_INT64_T, target, at(target, slot(thread, i)), 1, MPI_INT64_T, win_);
      flush(target, random);
      expect("what a thread has put", number, 10 + i);
    }
  });
  MPI_Win_unlock_all(win_);
}

// ---------------------------------------------------------------- epochs of all

/// Threads access places of their own in each epoch. The owner stores beside them.
void Case::fence_epochs() {
  const int target = choices_.alone(ranks_), epochs = 1 + choices_.together(3);
  const Word one = 1;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win_);
  for (Word epoch = 0; epoch < epochs; ++epoch) {
    by_threads([&](int thread, std::mt19937_64 &random) {
      pause(random);
      MPI_Accumulate(&one, 1, MPI_INT64_T, 0, at(0, counter), 1, MPI_INT64_T, MPI_SUM, win_);
      MPI_Accumulate(&one, 1, MPI_INT64_T, target, at(target, slot(thread, 0)), 1, MPI_INT64_T, MPI_REPLACE, win_);
    });
    mine_[guarded] = epoch;
    MPI_Win_fence(epoch + 1 == epochs ? MPI_MODE_NOSUCCEED : 0, win_);
    expect("what this rank has stored", mine_[guarded], epoch);
    if (epoch + 1 < epochs) MPI_Win_fence(0, win_);
  }
}

/// Each rank is exposed to all, and accesses all.
void Case::exposures() {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(win_, &all);
  const Word number = 40 + rank_;
  for (int epoch = 0; epoch < 2; ++epoch) {
    mine_[guarded] = epoch;
    MPI_Win_post(all, 0, win_);
    MPI_Win_start(all, 0, win_);
    by_threads([&](int thread, std::mt19937_64 &random) {
      pause(random);
      for (int target = 0; target < ranks_; ++target)
        MPI_Put(&number, 1, MPI_INT64_T, target, at(target, slot(thread, 0)), 1, MPI_INT64_T, win_);
    });
    MPI_Win_complete(win_);
    int done = choices_.alone(2);
    if (done) MPI_Win_wait(win_);
    while (!done) MPI_Win_test(win_, &done);
    for (int rank = 0; rank < ranks_; ++rank) expect("what was put", mine_[kSlots + rank * kMaxThreads * 4], 40 + rank);
  }
  MPI_Group_free(&all);
}

}  // namespace

int main(int argc, char **argv) {
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 4) return std::fprintf(stderr, "usage: %s SEED CASES DELAY_US\n", argv[0]), 2;
  const int cases = std::atoi(argv[2]);
  for (int i = 0; i < cases; ++i) Case(std::strtoull(argv[1], nullptr, 10), i, std::atoi(argv[3])).play();
  int mine[2] = {conflicts, faults}, all[2] = {0, 0};
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d cases: %d reports, %d wrong values\n", cases, all[0], all[1]);
  MPI_Finalize();
  return all[0] + all[1] > 0 ? 1 : 0;
}
