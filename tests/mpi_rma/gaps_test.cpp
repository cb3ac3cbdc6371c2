// Accumulates of pairs, such as MPI_DOUBLE_INT: the gaps of these types belong to the program, in the window and in the buffers of a call.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr unsigned char kThere = 0xA5, kOrigin = 0x5A, kResult = 0x3C;
constexpr int kPairs = 3;

/// A pair as the program has it, with its own bytes in the gaps.
template <class Value>
struct Pair {
  Value value;
  int index;

  static Pair filled(unsigned char gaps, int value, int index) {
    Pair pair;
    std::memset(static_cast<void *>(&pair), gaps, sizeof pair);
    const auto number = static_cast<Value>(value);
    std::memcpy(&pair.value, &number, sizeof number);
    std::memcpy(&pair.index, &index, sizeof index);
    return pair;
  }
};

/// The bytes of pairs that are no data.
template <class Value>
std::string gaps_of(const Pair<Value> *pairs, int count) {
  std::string gaps;
  for (int i = 0; i < count; ++i) {
    const auto *const bytes = reinterpret_cast<const char *>(pairs + i);
    gaps.append(bytes + sizeof(Value), bytes + offsetof(Pair<Value>, index));
    gaps.append(bytes + offsetof(Pair<Value>, index) + sizeof(int), bytes + sizeof(Pair<Value>));
  }
  return gaps;
}

/// Memory that ends where a page begins that no one may access.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), bytes_(bytes) {
    pages_ = static_cast<char *>(mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages_ + page_, page_, PROT_NONE);
  }
  ~Guarded() { munmap(pages_, 2 * page_); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  char *data() const { return pages_ + page_ - bytes_; }

 private:
  std::size_t page_, bytes_;
  char *pages_;
};

enum class Memory { allocated, created };

/// A window of three pairs per rank, whose last gap is outside of it.
template <class Value>
class Pairs {
 public:
  explicit Pairs(Memory kind) : next_((rank() + 1) % size()), own_(kPairs) {
    const MPI_Aint bytes = (kPairs - 1) * static_cast<MPI_Aint>(sizeof(Pair<Value>)) + kData;
    void *base = own_.data();
    if (kind == Memory::allocated)
      MPI_Win_allocate(bytes, sizeof(Pair<Value>), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win_);
    else
      MPI_Win_create(base, bytes, sizeof(Pair<Value>), MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
    mine_ = static_cast<Pair<Value> *>(base);
    for (int i = 0; i < kPairs; ++i) std::memcpy(mine_ + i, &there_, i + 1 < kPairs ? sizeof there_ : kData);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Pairs() { MPI_Win_free(&win_); }
  Pairs(const Pairs &) = delete;
  Pairs &operator=(const Pairs &) = delete;

  void accumulate(MPI_Datatype type, MPI_Op op) {
    const std::vector<Pair<Value>> given(kPairs, origin_);
    in_epoch([&] { MPI_Accumulate(given.data(), kPairs, type, next_, 0, kPairs, type, op, win_); });
    expect_gaps();
  }
  void get_accumulate(MPI_Datatype type, MPI_Op op) {
    const std::vector<Pair<Value>> given(kPairs, origin_);
    std::vector<Pair<Value>> old(kPairs, result_);
    in_epoch([&] { MPI_Get_accumulate(given.data(), kPairs, type, old.data(), kPairs, type, next_, 0, kPairs, type, op, win_); });
    expect_gaps();
    EXPECT_EQ(gaps_of(old.data(), kPairs), gaps_of(std::vector<Pair<Value>>(kPairs, result_).data(), kPairs));
  }
  void fetch_and_op(MPI_Datatype type, MPI_Op op) {
    Pair<Value> old = result_;
    in_epoch([&] { MPI_Fetch_and_op(&origin_, &old, type, next_, kPairs - 1, op, win_); });
    expect_gaps();
    EXPECT_EQ(gaps_of(&old, 1), gaps_of(&result_, 1));
  }
  /// A result without room for the gap behind the data.
  void fetch_beside_a_guard(MPI_Datatype type) {
    const Guarded result(kData);
    in_epoch([&] { MPI_Get_accumulate(nullptr, 0, type, result.data(), 1, type, next_, kPairs - 1, 1, type, MPI_NO_OP, win_); });
    int index = 0;
    std::memcpy(&index, result.data() + offsetof(Pair<Value>, index), sizeof index);
    EXPECT_EQ(index, 7);
  }
  void expect_replaced() const {
    for (int i = 0; i < kPairs; ++i) {
      EXPECT_EQ(mine_[i].value, static_cast<Value>(90));
      EXPECT_EQ(mine_[i].index, 7);
    }
  }

 private:
  static constexpr std::size_t kData = offsetof(Pair<Value>, index) + sizeof(int);

  template <class Work>
  void in_epoch(Work work) {
    MPI_Win_lock(MPI_LOCK_SHARED, next_, 0, win_);
    work();
    MPI_Win_unlock(next_, win_);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, win_);  // what others have written is seen from here on
    MPI_Win_unlock(rank(), win_);
  }
  void expect_gaps() const {
    const std::vector<Pair<Value>> begin(kPairs, there_);
    EXPECT_EQ(gaps_of(mine_, kPairs - 1), gaps_of(begin.data(), kPairs - 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }

  const Pair<Value> there_ = Pair<Value>::filled(kThere, 50, 3), origin_ = Pair<Value>::filled(kOrigin, 90, 7),
                    result_ = Pair<Value>::filled(kResult, 0, 0);
  int next_;
  std::vector<Pair<Value>> own_;
  Pair<Value> *mine_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

template <class Value>
void expect_that_gaps_stay(Memory kind, MPI_Datatype type) {
  Pairs<Value> pairs(kind);
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE}) {
    pairs.accumulate(type, op);
    pairs.get_accumulate(type, op);
    pairs.fetch_and_op(type, op);
  }
  pairs.get_accumulate(type, MPI_NO_OP);
  pairs.fetch_and_op(type, MPI_NO_OP);
  pairs.fetch_beside_a_guard(type);
  pairs.expect_replaced();
  MPI_Barrier(MPI_COMM_WORLD);
}

class MpiGaps : public testing::TestWithParam<Memory> {};

TEST_P(MpiGaps, of_pairs_stay_as_they_are) {
  expect_that_gaps_stay<double>(GetParam(), MPI_DOUBLE_INT);
  expect_that_gaps_stay<short>(GetParam(), MPI_SHORT_INT);
  expect_that_gaps_stay<long>(GetParam(), MPI_LONG_INT);
  expect_that_gaps_stay<long double>(GetParam(), MPI_LONG_DOUBLE_INT);
}

/// The type's data are at absolute addresses, far from 0.
TEST(MpiCounts, of_absolute_addresses_may_be_large) {
  constexpr int kMany = 100'000;
  std::vector<int> given(kMany);
  for (int i = 0; i < kMany; ++i) given[static_cast<std::size_t>(i)] = 1'000'000 * rank() + i;
  MPI_Aint address = 0;
  MPI_Datatype one = MPI_DATATYPE_NULL, absolute = MPI_DATATYPE_NULL;
  const int length = 1;
  MPI_Get_address(given.data(), &address);
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &one);
  MPI_Type_create_resized(one, 0, sizeof(int), &absolute);
  MPI_Type_commit(&absolute);
  int *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(kMany * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Put(MPI_BOTTOM, kMany, absolute, (rank() + 1) % size(), 0, kMany, MPI_INT, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  const int before = (rank() + size() - 1) % size();
  int wrong = 0;
  for (int i = 0; i < kMany; ++i) wrong += mine[i] == 1'000'000 * before + i ? 0 : 1;
  EXPECT_EQ(wrong, 0);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Accumulate(MPI_BOTTOM, 10, absolute, (rank() + 1) % size(), 0, 10, MPI_INT, MPI_SUM, win), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(mine[i], 2 * (1'000'000 * before + i));
  MPI_Type_free(&one);
  MPI_Type_free(&absolute);
  MPI_Win_free(&win);
}

INSTANTIATE_TEST_SUITE_P(All, MpiGaps, testing::Values(Memory::allocated, Memory::created));

}  // namespace
