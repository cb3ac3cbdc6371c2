// A reduction while the provider is full of puts to a rank that computes. No rank is declared lost, neither that one nor another whose
// messages the provider does not accept meanwhile. Run with HALOCLINE_PROGRESS=caller and a short transmit queue.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include <halocline/segment.h>

#include "reduce/arrays.hpp"

namespace halocline::test {
namespace {

constexpr int kPuts = 900;
constexpr std::int64_t kBytes = 65536;
constexpr std::chrono::seconds kComputes{5};  // longer than an unreachable rank is waited for

TEST(FullProvider, loses_nobody_while_a_rank_computes) {
  const hlc_segment_spec memory{kBytes, 0, 0};
  hlc_segment *segment = nullptr;
  REQUIRE_EVERYWHERE(hlc_segment_create(context(), &memory, &segment) == HLC_OK);
  hlc_allreduce_spec spec{};
  spec.type = HLC_FLOAT64;
  spec.count = 1;
  hlc_allreduce *plan = nullptr;
  REQUIRE_EVERYWHERE(hlc_allreduce_create(context(), &spec, &plan) == HLC_OK);
  const double mine = rank() + 1;
  double sum = 0;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ok(hlc_allreduce_run(plan, &mine, &sum)));
  EXPECT_TRUE(ok(hlc_barrier(segment)));

  const std::vector<char> bytes(kBytes, 7);
  if (rank() == 1) std::this_thread::sleep_for(kComputes);
  for (int i = 0; rank() == 0 && i < kPuts; ++i) ASSERT_TRUE(ok(hlc_put({segment, 1, 0}, bytes.data(), kBytes)));
  sum = 0;
  EXPECT_TRUE(ok(hlc_allreduce_run(plan, &mine, &sum)));
  EXPECT_DOUBLE_EQ(sum, size() * (size() + 1) / 2.0);
  EXPECT_TRUE(ok(hlc_flush_all(segment)));
  EXPECT_TRUE(ok(hlc_barrier(segment)));
  EXPECT_TRUE(ok(hlc_allreduce_destroy(&plan)));
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
}

}  // namespace
}  // namespace halocline::test
