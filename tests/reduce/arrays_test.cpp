// Reductions of all types, operations and sizes give, bit for bit, what a serial fold in the documented order gives.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/arrays.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// Sizes around what is combined at once, chunks and rows of chunks, and primes.
const std::vector<std::int64_t> kCounts = {1, 2, 3, 7, 64, 509, 1024, 4099, 16384, 65537, 131071};

template <class T, class Op>
void try_sizes(hlc_reduction reduction, Op op) {
  for (const std::int64_t count : kCounts) {
    SCOPED_TRACE(testing::Message() << "count " << count << ", reduction " << reduction);
    const Plan plan(spec_of(type_of<T>(), reduction, count));
    for (int step = 0; step < 3; ++step) expect_run(plan, step, folded<T>(step, count, op));
    expect_run_in_place(plan, 3, folded<T>(3, count, op));
  }
}

template <class T>
class Arrays : public testing::Test {};
using Real = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Arrays, Real);

TYPED_TEST(Arrays, are_summed) { try_sizes<TypeParam>(HLC_REDUCE_SUM, sum<TypeParam>); }
TYPED_TEST(Arrays, are_searched_for_the_least) { try_sizes<TypeParam>(HLC_REDUCE_MIN, least<TypeParam>); }
TYPED_TEST(Arrays, are_searched_for_the_greatest) { try_sizes<TypeParam>(HLC_REDUCE_MAX, greatest<TypeParam>); }

TEST(ComplexArrays, are_summed) {
  try_sizes<std::complex<float>>(HLC_REDUCE_SUM, sum<std::complex<float>>);
  try_sizes<std::complex<double>>(HLC_REDUCE_SUM, sum<std::complex<double>>);
}

TEST(EmptyArrays, need_no_memory) {
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, 0));
  EXPECT_TRUE(ok(plan.run(nullptr, nullptr)));
}

TEST(LargeArrays, go_past_the_caches) {
  constexpr std::int64_t count = (std::int64_t{9} << 20) / 2 + 5;  // of 8 bytes: 36 MiB
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, count));
  const std::vector<double> expected = folded<double>(1, count, sum<double>);
  expect_run(plan, 1, expected);
  std::vector<double> data(static_cast<std::size_t>(count + 1));  // not aligned to 16 bytes
  const std::vector<double> mine = elements_of<double>(rank(), 1, count);
  std::copy(mine.begin(), mine.end(), data.begin() + 1);
  EXPECT_TRUE(ok(plan.run(data.data() + 1, data.data() + 1)));
  EXPECT_TRUE(same_bits(data.data() + 1, expected));
}

/// Every run has data of its own; ranks are late for some of them.
void repeat_with_skew(std::int64_t count, int runs) {
  const Plan plan(spec_of(HLC_INT64, HLC_REDUCE_SUM, count));
  Skew skew(11);
  for (int step = 0; step < runs; ++step) {
    if (step % 4 == 0) skew.delay();
    std::vector<std::int64_t> data = elements_of<std::int64_t>(rank(), step, count);
    REQUIRE_EVERYWHERE(plan.run(data.data(), data.data()) == HLC_OK);
    std::vector<std::int64_t> expected = elements_of<std::int64_t>(0, step, count);
    for (int r = 1; r < size(); ++r)
      for (std::int64_t i = 0; i < count; ++i)
        expected[static_cast<std::size_t>(i)] = sum(expected[static_cast<std::size_t>(i)], Element<std::int64_t>::of(r, step, i));
    EXPECT_TRUE(testing::Test::HasFailure() || same_bits(data.data(), expected)) << "in step " << step;
  }
}

TEST(ManyRuns, of_one_element_with_late_ranks) { repeat_with_skew(1, times(4000)); }
TEST(ManyRuns, of_one_chunk_with_late_ranks) { repeat_with_skew(700, times(2000)); }
TEST(ManyRuns, of_several_rounds_with_late_ranks) { repeat_with_skew(200'000, times(24)); }

TEST(SeveralPlans, do_not_meet) {
  const Plan large(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, 30011)), small(spec_of(HLC_FLOAT64, HLC_REDUCE_MAX, 5));
  const auto large_expected = folded<double>(1, 30011, sum<double>);
  const auto small_expected = folded<double>(2, 5, greatest<double>);
  for (int i = 0; i < 5; ++i) {
    expect_run(large, 1, large_expected);
    expect_run(small, 2, small_expected);
  }
}

TEST(Info, says_how_the_array_is_cut) {
  hlc_context_info_t where{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &where)));
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, 1 << 20));
  hlc_allreduce_info_t info{};
  EXPECT_TRUE(ok(hlc_allreduce_info(plan.raw(), &info)));
  EXPECT_EQ(info.parts, where.nodes);
  EXPECT_GE(info.lanes, where.node_size);
  EXPECT_GE(info.my_lanes, 1) << "every rank takes part";
  // As many chunks as there are nodes and ranks, at least, can be under way.
  EXPECT_GE(info.chunks, info.parts * info.lanes);
  EXPECT_GE(info.chunks * info.chunk_bytes, std::int64_t{8} << 20);
  EXPECT_EQ(info.network_bytes > 0, where.nodes > 1);
  // A node sends every part but one twice: as part of a sum, and as a result.
  std::int64_t sent[2] = {info.network_bytes, 0};
  MPI_Allreduce(&sent[0], &sent[1], 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sent[1], 2 * (where.nodes - 1) * (std::int64_t{8} << 20));
}

}  // namespace
}  // namespace halocline::test
