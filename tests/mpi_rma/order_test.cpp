// What one rank does at one place of another is done in order, if a local flush follows each access: puts, gets and accumulates. MPI promises
// that of accumulates alone. ARMCI-MPI counts on the rest in its default setting, and so do Global Arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr int kMax = 5000;  // an accumulate of several messages

enum class Access { put, accumulate, get, get_accumulate, fetch };

/// Where an access finds its doubles: every one, or every second one, which are packed into messages.
struct Spot {
  int first, count, stride;
};

/// A datatype of these doubles, for the length of an access.
class Every {
 public:
  explicit Every(const Spot &spot) {
    MPI_Type_vector(spot.count, 1, spot.stride, MPI_DOUBLE, &raw);
    MPI_Type_commit(&raw);
  }
  ~Every() { MPI_Type_free(&raw); }
  Every(const Every &) = delete;
  Every &operator=(const Every &) = delete;

  MPI_Datatype raw = MPI_DATATYPE_NULL;
};

/// Doubles of the last rank, as they should be after the accesses of rank 0 so far.
class Place {
 public:
  explicit Place(unsigned seed) : random_(seed), expected_(kMax) {
    double *mine = nullptr;
    MPI_Win_allocate(kMax * MPI_Aint{sizeof(double)}, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win_);
    std::fill_n(mine, kMax, 0.0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win_);
  }
  ~Place() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;

  /// Returns how many numbers are wrong that it has read.
  int access(Access kind) {
    const Spot spot = draw_spot();
    const int first = spot.first, count = spot.count;
    const Every every(spot);
    const std::vector<double> numbers = draw(count);
    std::vector<double> found(numbers.size(), -1);
    int wrong = 0;
    if (kind == Access::put) MPI_Put(numbers.data(), count, MPI_DOUBLE, target_, first, 1, every.raw, win_);
    if (kind == Access::accumulate) MPI_Accumulate(numbers.data(), count, MPI_DOUBLE, target_, first, 1, every.raw, MPI_SUM, win_);
    if (kind == Access::get) MPI_Get(found.data(), count, MPI_DOUBLE, target_, first, 1, every.raw, win_);
    if (kind == Access::get_accumulate)
      MPI_Get_accumulate(numbers.data(), 1, MPI_DOUBLE, found.data(), 1, MPI_DOUBLE, target_, first, 1, MPI_DOUBLE, MPI_SUM, win_);
    if (kind == Access::fetch) MPI_Fetch_and_op(nullptr, found.data(), MPI_DOUBLE, target_, first, MPI_NO_OP, win_);
    MPI_Win_flush_local(target_, win_);
    const bool one = kind == Access::get_accumulate || kind == Access::fetch;
    if (one || kind == Access::get)
      for (int i = 0; i < (one ? 1 : count); ++i) wrong += found[at(i)] == expected_[at(first + i * spot.stride)] ? 0 : 1;
    note(kind, spot, one ? std::vector<double>{numbers[0]} : numbers);
    return wrong;
  }
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Spot draw_spot() {
    const int first = below(4), stride = 1 + below(2), most = (kMax - first) / stride;
    return {first, below(4) == 0 ? most : 1 + below(16), stride};
  }
  std::vector<double> draw(int count) {
    std::vector<double> numbers(at(count));
    for (double &number : numbers) number = 1 + below(1000);
    return numbers;
  }
  void note(Access kind, const Spot &spot, const std::vector<double> &numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      double &number = expected_[at(spot.first) + i * at(spot.stride)];
      if (kind == Access::put) number = numbers[i];
      if (kind == Access::accumulate || kind == Access::get_accumulate) number += numbers[i];
    }
  }

  MPI_Win win_ = MPI_WIN_NULL;
  int target_ = size() - 1;
  std::mt19937 random_;
  std::vector<double> expected_;
};

/// Until all ranks are here. What has arrived meanwhile is taken in together, so that one access may pass another.
void answer_now_and_then() {
  MPI_Request all_here = MPI_REQUEST_NULL;
  int over = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  while (!over) {
    usleep(100);
    MPI_Test(&all_here, &over, MPI_STATUS_IGNORE);
  }
}

TEST(MpiOrder, accesses_of_one_rank_to_one_place_are_done_in_order) {
  Place place(static_cast<unsigned>(halocline::test::seed()));
  int wrong = 0, last = 0;
  for (int i = 0; i < 400 && rank() == 0; ++i) {
    const int kind = place.below(5), found = place.access(static_cast<Access>(kind));
    EXPECT_EQ(found, 0) << "access " << i << " of kind " << kind << " after one of kind " << last;
    wrong += found;
    last = kind;
    if (wrong > 0) break;
  }
  answer_now_and_then();
}

}  // namespace
