// What an access to another node sends. One message takes many elements or runs, of all operations and datatypes. Fetches in
// a row begin before the first one ends. The values are checked as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <halocline/mpix.h>
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "support/library.hpp"
#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

/// Messages and transfers that this process has sent to other nodes.
int sent() {
  static void *const counting = dlopen(HALOCLINE_COUNTING_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<int (*)()>(dlsym(counting, "halocline_test_sent"))();
}

enum class Memory { allocated, created };

/// A window of so many bytes per rank, all of which lock all. Each rank accesses the next one, which is on another node.
class Accessed {
 public:
  Accessed(Memory kind, std::size_t bytes) : own_(bytes), target((rank() + 1) % size()) {
    void *base = own_.data();
    if (kind == Memory::allocated)
      MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else
      MPI_Win_create(base, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    mine = static_cast<char *>(base);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    // The first access makes the connection.
    std::int8_t none = 0;
    MPI_Get(&none, 1, MPI_INT8_T, target, 0, 1, MPI_INT8_T, win);
    MPI_Win_flush(target, win);
  }
  ~Accessed() {
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
  Accessed(const Accessed &) = delete;
  Accessed &operator=(const Accessed &) = delete;

  /// Fills this rank's part with elements, all alike, and waits for the others.
  template <class T>
  void fill(const T &element) {
    for (std::size_t at = 0; at + sizeof element <= own_.size(); at += sizeof element) std::memcpy(mine + at, &element, sizeof element);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  template <class T>
  T element(std::size_t i) const {
    T value;
    std::memcpy(&value, mine + i * sizeof value, sizeof value);
    return value;
  }

 private:
  std::vector<char> own_;

 public:
  int target;
  char *mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

class MpiMessages : public testing::TestWithParam<Memory> {
 protected:
  void SetUp() override {
    if (size() == 1) GTEST_SKIP() << "it takes a rank of another node";
  }
};

/// Every element before the operation is `before`, `given` is combined with it, and `after` is to be there.
template <class T>
struct Values {
  T before, given, after;
};

/// Accumulates and then fetches `count` elements, by few messages.
template <class T>
void combine(Memory kind, MPI_Datatype type, MPI_Op op, const Values<T> &values) {
  constexpr int kCount = 2048;
  Accessed accessed(kind, kCount * sizeof(T));
  const std::vector<T> given(kCount, values.given);
  std::vector<T> old(kCount);
  accessed.fill(values.before);
  const int before = sent();
  MPI_Get_accumulate(given.data(), kCount, type, old.data(), kCount, type, accessed.target, 0, kCount, type, op, accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  const int fetched = sent();
  MPI_Accumulate(given.data(), kCount, type, accessed.target, 0, kCount, type, MPI_REPLACE, accessed.win);
  MPI_Accumulate(given.data(), kCount, type, accessed.target, 0, kCount, type, op, accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  const int kMax = 4 + 2 * static_cast<int>(kCount * sizeof(T) / 8192);
  EXPECT_LE(fetched - before, kMax) << "messages of a get_accumulate";
  EXPECT_LE(sent() - fetched, 2 * kMax) << "messages of two accumulates";
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(old[static_cast<std::size_t>(i)], values.before) << "element " << i;
  MPI_Barrier(MPI_COMM_WORLD);
  // What was given, combined with itself.
  MPI_Get_accumulate(nullptr, 0, type, old.data(), kCount, type, accessed.target, 0, kCount, type, MPI_NO_OP, accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(old[static_cast<std::size_t>(i)], values.after) << "element " << i;
  MPI_Barrier(MPI_COMM_WORLD);
}

/// More data than the messages of one rank to another have under way at a time.
TEST_P(MpiMessages, of_long_accumulates_have_64_kilobytes) {
  constexpr int kCount = 3 << 16, kMessages = kCount * 8 / 65'536, kMax = 2 * (kMessages + kMessages / 8) + 8;
  Accessed accessed(GetParam(), kCount * sizeof(double));
  std::vector<double> given(kCount), old(kCount);
  for (std::size_t i = 0; i < kCount; ++i) given[i] = rank() + static_cast<double>(i);
  accessed.fill(0.5);
  const int before = sent();
  MPI_Get_accumulate(given.data(), kCount, MPI_DOUBLE, old.data(), kCount, MPI_DOUBLE, accessed.target, 0, kCount, MPI_DOUBLE, MPI_SUM,
                     accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  EXPECT_LE(sent() - before, kMax) << "queries and replies";
  MPI_Barrier(MPI_COMM_WORLD);
  const int origin = (rank() + size() - 1) % size();
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(old[i], 0.5);
    EXPECT_EQ(accessed.element<double>(i), 0.5 + origin + static_cast<double>(i)) << "element " << i;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// They are not copied before they are sent.
TEST_P(MpiMessages, of_long_data_have_left_once_they_are_complete_here) {
  constexpr int kCount = 1 << 17;
  Accessed accessed(GetParam(), kCount * sizeof(double));
  accessed.fill(0.5);
  std::vector<double> given(kCount, 1.0);
  MPI_Accumulate(given.data(), kCount, MPI_DOUBLE, accessed.target, 0, kCount, MPI_DOUBLE, MPI_SUM, accessed.win);
  MPI_Win_flush_local(accessed.target, accessed.win);
  std::fill(given.begin(), given.end(), 2.0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Raccumulate(given.data(), kCount, MPI_DOUBLE, accessed.target, 0, kCount, MPI_DOUBLE, MPI_SUM, accessed.win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  std::fill(given.begin(), given.end(), 1000.0);
  MPI_Win_flush(accessed.target, accessed.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(accessed.element<double>(i), 3.5) << "element " << i;
  MPI_Barrier(MPI_COMM_WORLD);
}

struct Located {
  double value;
  int index;
  bool operator==(const Located &other) const { return value == other.value && index == other.index; }
};
std::ostream &operator<<(std::ostream &stream, const Located &one) { return stream << one.value << " at " << one.index; }

TEST_P(MpiMessages, of_accumulates_take_many_elements) {
  combine<double>(GetParam(), MPI_DOUBLE, MPI_SUM, {1.5, 20.25, 40.5});
  combine<int>(GetParam(), MPI_INT, MPI_LAND, {3, 7, 1});
  combine<long double>(GetParam(), MPI_LONG_DOUBLE, MPI_PROD, {3.0L, 11.0L, 121.0L});
}

TEST_P(MpiMessages, of_accumulates_take_many_complex_numbers_and_pairs) {
  using Short = std::complex<float>;
  using Long = std::complex<double>;
  combine<Short>(GetParam(), MPI_C_FLOAT_COMPLEX, MPI_PROD, {Short{1, 2}, Short{3, 4}, Short{-7, 24}});
  combine<Long>(GetParam(), MPI_C_DOUBLE_COMPLEX, MPI_SUM, {Long{1, 2}, Long{3, 4}, Long{6, 8}});
  combine<Located>(GetParam(), MPI_DOUBLE_INT, MPI_MAXLOC, {{4711.5, 8}, {0.25, 15}, {0.25, 15}});
}

/// Runs of one number, every third one.
MPI_Datatype strided(int count, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 3, of, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Runs of one number at irregular places, among so many.
MPI_Datatype scattered(int count, MPI_Datatype of) {
  std::vector<int> places(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] = 3 * i + (i * i) % 2;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(count, 1, places.data(), of, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Puts, gets, accumulates and fetches numbers of the type, and returns how much that has sent.
int move_runs(const Accessed &accessed, MPI_Datatype type, int count) {
  std::vector<std::int32_t> given(static_cast<std::size_t>(count)), got(given.size()), ones(given.size(), 1), old(given.size());
  std::iota(given.begin(), given.end(), 1000 * (rank() + 1));
  const int before = sent();
  MPI_Put(given.data(), count, MPI_INT32_T, accessed.target, 0, 1, type, accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  MPI_Get(got.data(), count, MPI_INT32_T, accessed.target, 0, 1, type, accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  EXPECT_EQ(got, given);
  MPI_Accumulate(ones.data(), count, MPI_INT32_T, accessed.target, 0, 1, type, MPI_SUM, accessed.win);
  MPI_Get_accumulate(given.data(), count, MPI_INT32_T, old.data(), count, MPI_INT32_T, accessed.target, 0, 1, type, MPI_REPLACE,
                     accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], given[i] + 1) << "number " << i;
  return sent() - before;
}

TEST_P(MpiMessages, take_many_runs) {
  constexpr int kRuns = 4000, kMax = 60;
  Accessed accessed(GetParam(), (3 * kRuns + 3) * sizeof(std::int32_t));
  for (MPI_Datatype (*const make)(int, MPI_Datatype) : {strided, scattered}) {
    accessed.fill(std::int32_t{-5});
    MPI_Datatype type = make(kRuns, MPI_INT32_T);
    EXPECT_LE(move_runs(accessed, type, kRuns), kMax);
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(accessed.element<std::int32_t>(0), 1000 * ((rank() + size() - 1) % size() + 1));
    EXPECT_EQ(accessed.element<std::int32_t>(2), -5) << "between two runs";
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_P(MpiMessages, of_runs_here_fetch_between_the_bytes_of_others) {
  constexpr int kRuns = 500;
  Accessed accessed(GetParam(), kRuns * sizeof(std::int64_t));
  accessed.fill(std::int64_t{100 + rank()});
  MPI_Datatype type = strided(kRuns, MPI_INT64_T);
  std::vector<std::int64_t> got(3 * kRuns, -1);
  const int before = sent();
  MPI_Get(got.data(), 1, type, accessed.target, 0, kRuns, MPI_INT64_T, accessed.win);
  MPI_Type_free(&type);  // the get is still under way
  MPI_Win_flush_local(accessed.target, accessed.win);
  EXPECT_LE(sent() - before, 10);
  for (std::size_t i = 0; i < kRuns; ++i) {
    EXPECT_EQ(got[3 * i], 100 + accessed.target) << "run " << i;
    EXPECT_EQ(got[3 * i + 1], -1) << "after run " << i;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Where one operation waited for the reply of the one before, the first would have arrived when the second begins.
TEST_P(MpiMessages, of_a_row_of_fetches_are_under_way_together) {
  constexpr int kTimes = 300;
  Accessed accessed(GetParam(), 64);
  accessed.fill(std::int64_t{0});
  std::vector<std::int64_t> old(kTimes, -1), swapped(kTimes, -1);
  const std::int64_t one = 1, expected = 7;
  for (std::int64_t &value : old) MPI_Fetch_and_op(&one, &value, MPI_INT64_T, accessed.target, 8, MPI_SUM, accessed.win);
  for (std::int64_t &value : swapped) MPI_Compare_and_swap(&one, &expected, &value, MPI_INT64_T, accessed.target, 16, accessed.win);
  MPI_Win_flush(accessed.target, accessed.win);
  for (int i = 0; i < kTimes; ++i) EXPECT_EQ(old[static_cast<std::size_t>(i)], i);
  for (const std::int64_t value : swapped) EXPECT_EQ(value, 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Up to 2 KiB are in the message that notifies; more are a write and that message.
TEST_P(MpiMessages, of_a_notified_put_there_is_one_or_a_write_more) {
  constexpr int kTimes = 40, kFew = 4;
  Accessed accessed(GetParam(), 8192);
  MPI_Win_unlock_all(accessed.win);
  ASSERT_EQ(MPIX_Win_set_num_notify(accessed.win, MPI_INFO_NULL, 1), MPI_SUCCESS);
  MPI_Win_lock_all(0, accessed.win);
  const std::vector<char> data(8192, 'n');
  MPIX_Notify arrived = MPIX_NOTIFY_NULL;
  MPIX_Win_notify_init((rank() + size() - 1) % size(), 0, kTimes, accessed.win, &arrived);
  for (const int bytes : {8, 2048, 8192}) {
    int count = 0, most_of_all = 0;
    // One rank after another: a rank also sends one confirmation for each put to it, and those count here as well.
    for (int turn = 0; turn < size(); ++turn) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (turn != rank()) continue;
      const int before = sent();
      for (int i = 0; i < kTimes; ++i) MPIX_Put_notify(data.data(), bytes, MPI_CHAR, accessed.target, 0, bytes, MPI_CHAR, 0, accessed.win);
      count = sent() - before;
      EXPECT_LE(count, (bytes <= 2048 ? 1 : 2) * kTimes + kFew) << bytes << " bytes";
      MPI_Win_flush(accessed.target, accessed.win);
    }
    // Of three ranks on two nodes one has its target on its own node.
    MPI_Allreduce(&count, &most_of_all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_GE(most_of_all, kTimes) << bytes << " bytes";
    MPIX_Notify_start(arrived);
    EXPECT_EQ(MPIX_Notify_wait(arrived, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(accessed.mine[bytes - 1], 'n');
  }
  MPIX_Notify_free(&arrived);
  MPI_Barrier(MPI_COMM_WORLD);
}

INSTANTIATE_TEST_SUITE_P(Memories, MpiMessages, testing::Values(Memory::allocated, Memory::created),
                         [](const auto &one) { return one.param == Memory::allocated ? "allocated" : "created"; });

}  // namespace

/// The library looks up libfabric here, because a program's own functions are found first.
extern "C" __attribute__((visibility("default"))) void *dlopen(const char *file, int flags) noexcept {
  static const auto next = reinterpret_cast<void *(*)(const char *, int)>(dlsym(RTLD_NEXT, "dlopen"));
  Dl_info caller;
  const bool asked = file && std::strstr(file, "libfabric") && dladdr(__builtin_return_address(0), &caller) &&
                     halocline::test::is_halocline(caller.dli_fname);
  return next(asked ? HALOCLINE_COUNTING_LIBFABRIC : file, flags);
}
