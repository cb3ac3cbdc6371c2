// Atomics: every operation on every type against plain arithmetic. Many ranks and threads also change the same numbers, where the result
// does not depend on their order.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "engine/numbers.hpp"
#include "engine/segments.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

template <class T>
class Atomics : public testing::Test {
 protected:
  static std::vector<hlc_op> operations() {
    std::vector<hlc_op> all = {HLC_OP_SUM, HLC_OP_MIN, HLC_OP_MAX, HLC_OP_PROD, HLC_OP_REPLACE, HLC_OP_READ};
    if constexpr (std::is_integral_v<T>) all.insert(all.end(), {HLC_OP_BAND, HLC_OP_BOR, HLC_OP_BXOR});
    return all;
  }
};

using Types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                             std::uint64_t, float, double>;
struct TypeNames {
  template <class T>
  static std::string GetName(int) {
    return std::string(std::is_integral_v<T> ? std::is_signed_v<T> ? "int" : "uint" : "float") + std::to_string(8 * sizeof(T));
  }
};
TYPED_TEST_SUITE(Atomics, Types, TypeNames);

TYPED_TEST(Atomics, do_what_plain_arithmetic_does_and_touch_nothing_beside) {
  using T = TypeParam;
  constexpr int elements = 9;
  TestSegment segment(static_cast<std::int64_t>(sizeof(T)) * elements * size());
  Random random(mixed(seed() ^ static_cast<std::uint64_t>(rank())));
  std::vector<std::vector<T>> image(static_cast<std::size_t>(size()), std::vector<T>(elements));  // what I own in each part
  for (int step = times(60); step > 0; --step)
    for (const hlc_op op : this->operations()) {
      const auto target = static_cast<int>(between(random, 0, size() - 1));
      const std::int64_t element = between(random, 0, elements - 1), count = between(random, 0, elements - element);
      auto &mine = image[static_cast<std::size_t>(target)];
      const hlc_target at = segment.at(target, (rank() * elements + element) * static_cast<std::int64_t>(sizeof(T)));
      T operands[elements], old = draw<T>(random);
      std::generate(std::begin(operands), std::end(operands), [&] { return draw<T>(random); });
      const T before = mine[static_cast<std::size_t>(element)];
      EXPECT_TRUE(ok(hlc_fetch_op(at, {op, number_of<T>()}, op == HLC_OP_READ ? nullptr : operands, &old)));
      EXPECT_EQ(old, before);
      mine[static_cast<std::size_t>(element)] = expected(op, before, operands[0]);
      EXPECT_TRUE(ok(hlc_accumulate(at, {op, number_of<T>()}, operands, count)));
      EXPECT_TRUE(ok(hlc_flush(segment.raw(), target)));
      for (std::int64_t i = 0; i < count; ++i) {
        T &cell = mine[static_cast<std::size_t>(element + i)];
        cell = expected(op, cell, operands[i]);
      }
    }
  for (int target = 0; target < size(); ++target) {
    std::vector<T> there(elements);
    const auto bytes = static_cast<std::int64_t>(sizeof(T)) * elements;
    EXPECT_TRUE(ok(hlc_get(segment.at(target, rank() * bytes), there.data(), bytes)));
    EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), target)));
    EXPECT_EQ(std::memcmp(there.data(), image[static_cast<std::size_t>(target)].data(), static_cast<std::size_t>(bytes)), 0);
  }
}

/// Two threads of every rank change four neighbouring elements of rank 0. The operations: sum on element 0, minimum on 1, maximum on 2,
/// replace on 3.
TYPED_TEST(Atomics, lose_nothing_when_all_ranks_and_threads_meet) {
  using T = TypeParam;
  constexpr int threads = 2;
  const int steps = times(400);
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  TestSegment segment(4 * bytes);
  const auto work = [&](int thread) {
    Random random(mixed(seed() ^ static_cast<std::uint64_t>(rank() * threads + thread)));
    for (int step = 0; step < steps; ++step) {
      const T one = 1, value = static_cast<T>(between(random, 1, 100));
      EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, 0), {HLC_OP_SUM, number_of<T>()}, &one, 1)));
      EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, bytes), {HLC_OP_MIN, number_of<T>()}, &value, 1)));
      EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, 2 * bytes), {HLC_OP_MAX, number_of<T>()}, &value, 1)));
      EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, 3 * bytes), {HLC_OP_REPLACE, number_of<T>()}, &value, 1)));
    }
    const T least = 0, most = 101;
    EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, bytes), {HLC_OP_MIN, number_of<T>()}, &least, 1)));
    EXPECT_TRUE(ok(hlc_accumulate(segment.at(0, 2 * bytes), {HLC_OP_MAX, number_of<T>()}, &most, 1)));
    EXPECT_TRUE(ok(hlc_flush_all(segment.raw())));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  segment.barrier();
  T found[4] = {};
  EXPECT_TRUE(ok(hlc_get(segment.at(0, 0), found, 4 * bytes)));
  EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), 0)));
  EXPECT_EQ(found[0], static_cast<T>(static_cast<std::uint64_t>(size()) * threads * steps));
  EXPECT_EQ(found[1], T{0});
  EXPECT_EQ(found[2], T{101});
  EXPECT_TRUE(found[3] >= T{1} && found[3] <= T{100});
}

TEST(FetchAdd, hands_out_each_ticket_once_and_in_rising_order) {
  for (const hlc_number type : {HLC_NUMBER_INT32, HLC_NUMBER_UINT32, HLC_NUMBER_INT64, HLC_NUMBER_UINT64}) {
    TestSegment segment(8);
    const int steps = times(300);
    std::vector<std::int64_t> mine(static_cast<std::size_t>(steps)), all(static_cast<std::size_t>(steps * size()));
    for (std::int64_t &ticket : mine) EXPECT_TRUE(ok(hlc_atomic_fetch_add(segment.at(size() - 1, 0), type, 1, &ticket)));
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    segment.barrier();  // others need this rank in the library, and not in MPI, until they have finished
    MPI_Allgather(mine.data(), steps, MPI_INT64_T, all.data(), steps, MPI_INT64_T, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i));
  }
}

TEST(FetchAdd, takes_and_returns_the_extremes_of_each_type) {
  TestSegment segment(8);
  const hlc_target at = segment.at(rank(), 0);
  const auto check = [&](hlc_number type, std::int64_t last, std::int64_t next) {
    std::int64_t old = 1;
    EXPECT_TRUE(ok(hlc_atomic_swap(at, type, last, nullptr)));
    EXPECT_TRUE(ok(hlc_atomic_fetch_add(at, type, 1, &old)));
    EXPECT_EQ(old, last);
    EXPECT_TRUE(ok(hlc_atomic_swap(at, type, 0, &old)));
    EXPECT_EQ(old, next) << "one more than " << last;
  };
  check(HLC_NUMBER_INT32, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min());
  check(HLC_NUMBER_UINT32, std::numeric_limits<std::uint32_t>::max(), 0);
  check(HLC_NUMBER_INT64, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min());
  check(HLC_NUMBER_UINT64, -1, 0);  // the same bits as the largest
}

TEST(Swap, keeps_every_token_in_the_game) {
  TestSegment segment(8);
  EXPECT_TRUE(ok(hlc_atomic_swap(segment.at(rank(), 0), HLC_NUMBER_INT64, rank() + 1, nullptr)));
  segment.barrier();
  Skew skew(3);
  Random random(mixed(seed() ^ static_cast<std::uint64_t>(rank())));
  std::int64_t mine = 100 + rank();
  for (int step = times(300); step > 0; --step) {
    if (step % 32 == 0) skew.delay();
    EXPECT_TRUE(ok(hlc_atomic_swap(segment.at(static_cast<int>(between(random, 0, size() - 1)), 0), HLC_NUMBER_INT64, mine, &mine)));
  }
  segment.barrier();
  std::int64_t kept = 0, tokens[2] = {mine, 0};
  EXPECT_TRUE(ok(hlc_fetch_op(segment.at(rank(), 0), {HLC_OP_READ, HLC_NUMBER_INT64}, nullptr, &kept)));
  tokens[1] = kept;
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * size())), expected;
  MPI_Allgather(tokens, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, MPI_COMM_WORLD);
  for (int r = 0; r < size(); ++r) expected.insert(expected.end(), {r + 1, 100 + r});
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all, expected);
}

/// A lock made of compare_swap. It protects data that only put and get access.
TEST(CompareSwap, makes_a_lock_that_protects_puts_and_gets) {
  TestSegment segment(16);
  const int steps = times(100);
  const hlc_target lock = segment.at(0, 0), number = segment.at(0, 8);
  for (int step = 0; step < steps; ++step) {
    std::int64_t holder = 1, value = 0;
    while (holder != 0) {
      EXPECT_TRUE(ok(hlc_atomic_compare_swap(lock, HLC_NUMBER_INT64, 0, rank() + 1, &holder)));
      if (holder != 0) std::this_thread::yield();
    }
    EXPECT_TRUE(ok(hlc_get(number, &value, 8)));
    EXPECT_TRUE(ok(hlc_flush(segment.raw(), 0)));
    ++value;
    EXPECT_TRUE(ok(hlc_put(number, &value, 8)));
    EXPECT_TRUE(ok(hlc_flush(segment.raw(), 0)));
    EXPECT_TRUE(ok(hlc_atomic_swap(lock, HLC_NUMBER_INT64, 0, &holder)));
    EXPECT_EQ(holder, rank() + 1);
  }
  segment.barrier();
  std::int64_t value = 0;
  EXPECT_TRUE(ok(hlc_get(number, &value, 8)));
  EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), 0)));
  EXPECT_EQ(value, std::int64_t{steps} * size());
}

}  // namespace
}  // namespace halocline::test
