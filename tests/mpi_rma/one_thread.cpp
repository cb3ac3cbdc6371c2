// A program whose MPI is called by one thread. Ranks lock a target in turns, exclusively and shared, and accumulate: no accumulate is lost.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr MPI_Aint kCounter = 0, kSums = 1, kSwapped = 4;
constexpr int kWords = 5, kTimes = 8;

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The memory of rank 0.
class Target {
 public:
  Target() {
    MPI_Win_allocate(kWords * MPI_Aint{8}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &win_);
    for (int i = 0; i < kWords; ++i) mine_[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Target() { MPI_Win_free(&win_); }
  Target(const Target &) = delete;
  Target &operator=(const Target &) = delete;

  void lock(int type) const { MPI_Win_lock(type, 0, 0, win_); }
  void unlock() const { MPI_Win_unlock(0, win_); }
  /// The counter before.
  std::int64_t count() const {
    const std::int64_t one = 1;
    std::int64_t before = -1;
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, kCounter, MPI_SUM, win_);
    MPI_Win_flush(0, win_);
    return before;
  }
  void add() const {
    const std::array<std::int64_t, 3> numbers{1, 2, 3};
    MPI_Accumulate(numbers.data(), 3, MPI_INT64_T, 0, kSums, 3, MPI_INT64_T, MPI_SUM, win_);
  }
  /// Adds 1 by compare and swap.
  void raise() const {
    std::int64_t seen = 0;
    for (std::int64_t expected = -1; expected != seen;) {
      expected = seen;
      const std::int64_t wanted = expected + 1;
      MPI_Compare_and_swap(&wanted, &expected, &seen, MPI_INT64_T, 0, kSwapped, win_);
      MPI_Win_flush(0, win_);
    }
  }
  /// A number of rank 0.
  std::int64_t read(MPI_Aint at) const {
    std::int64_t value = -1;
    MPI_Get(&value, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, win_);
    MPI_Win_flush(0, win_);
    return value;
  }

 private:
  std::int64_t *mine_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

/// Counts, adds and raises some times in each turn, every third of which excludes the others. Returns the sum of what it has counted.
std::int64_t take_turns(const Target &target, std::int64_t turns) {
  std::int64_t counted = 0;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    target.lock(turn % 3 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED);
    for (int i = 0; i < kTimes; ++i) {
      counted += target.count();
      target.add();
      target.raise();
    }
    target.unlock();
  }
  return counted;
}

/// How many of the results are wrong.
int wrong_results(const Target &target, std::int64_t counted, std::int64_t turns) {
  int wrong = counted == turns * (turns - 1) / 2 ? 0 : 1;
  target.lock(MPI_LOCK_EXCLUSIVE);
  wrong += target.read(kCounter) == turns ? 0 : 1;
  for (int i = 0; i < 3; ++i) wrong += target.read(kSums + i) == turns * (i + 1) ? 0 : 1;
  wrong += target.read(kSwapped) == turns ? 0 : 1;
  target.add();  // before reads of the same rank, which see it
  for (int i = 0; i < 3; ++i) wrong += target.read(kSums + i) == (turns + 1) * (i + 1) ? 0 : 1;
  target.unlock();
  return wrong;
}

int run(std::int64_t turns) {
  const Target target;
  int size = 0, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::int64_t counted = take_turns(target, turns);
  MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank_in_world() == 0) wrong = wrong_results(target, counted, turns * kTimes * size);
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return wrong;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run(argc > 1 ? std::atoi(argv[1]) : 200);
  if (rank_in_world() == 0) std::printf("one thread: %d results are wrong\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
