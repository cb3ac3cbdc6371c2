// Reductions with threads as ranks under ThreadSanitizer: elements and results in shared memory, ordered by nothing but the counters.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/arrays.hpp"
#include "support/skew.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class Reductions : public testing::TestWithParam<int> {};

/// Integers, whose sum does not depend on the order.
void sum_often(std::int64_t count, int runs) {
  hlc_allreduce_spec spec{};
  spec.type = HLC_INT64;
  spec.count = count;
  const Plan plan(spec);
  Skew skew(6);
  for (int step = 0; step < runs; ++step) {
    std::vector<std::int64_t> data = elements_of<std::int64_t>(rank(), step, count), expected(data.size());
    for (int r = 0; r < size(); ++r)
      for (std::int64_t i = 0; i < count; ++i) {
        auto &sum = expected[static_cast<std::size_t>(i)];
        sum =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(Element<std::int64_t>::of(r, step, i)));
      }
    skew.delay();
    EXPECT_TRUE(ok(plan.run(data.data(), data.data())));
    EXPECT_TRUE(same_bits(data.data(), expected)) << "in step " << step;
  }
}

TEST_P(Reductions, of_few_elements_without_a_race) {
  as_ranks(GetParam(), [] { sum_often(5, 400 / size()); });
}
TEST_P(Reductions, of_many_elements_without_a_race) {
  as_ranks(GetParam(), [] { sum_often(200'003, 12 / size()); });
}

/// Arrays read in place, written anew by their owners right after each run.
void sum_shared(std::int64_t count, int runs, bool shared_out) {
  hlc_allreduce_spec spec{};
  spec.type = HLC_INT64;
  spec.count = count;
  const Plan plan(spec);
  void *raw = nullptr;
  EXPECT_TRUE(ok(hlc_field_alloc(context(), 2 * static_cast<std::size_t>(count) * sizeof(std::int64_t), &raw)));
  auto *in = static_cast<std::int64_t *>(raw), *end = in + count;
  std::vector<std::int64_t> own(static_cast<std::size_t>(count));
  std::int64_t *out = shared_out ? end : own.data();
  Skew skew(7);
  for (int step = 0; step < runs; ++step) {
    for (std::int64_t i = 0; i < count; ++i) in[i] = step + rank() + i;
    skew.delay();
    EXPECT_TRUE(ok(plan.run(in, out)));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) wrong += out[i] != size() * (step + i) + size() * (size() - 1) / 2 ? 1 : 0;
    EXPECT_EQ(wrong, 0) << "in step " << step;
    std::fill_n(out, count, -1);
  }
  EXPECT_TRUE(ok(hlc_field_free(context(), &raw)));
}

TEST_P(Reductions, of_shared_arrays_without_a_race) {
  for (const bool shared_out : {true, false}) as_ranks(GetParam(), [=] { sum_shared(100'003, 12 / size(), shared_out); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Reductions, testing::Values(2, 3, 5),
                         [](const auto &info) { return "reduce_n" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline::test
