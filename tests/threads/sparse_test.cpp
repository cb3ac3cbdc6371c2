// Sparse exchanges with threads as ranks under ThreadSanitizer. The bytes of a slot are ordered by its notification, and by the count of
// tickets that the target has taken.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include "engine/segments.hpp"
#include "support/skew.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class SparseThreads : public testing::TestWithParam<int> {};

/// Of every third step a message takes three slots.
std::int64_t bytes_in(std::uint64_t step) { return step % 3 == 0 ? 2 * HLC_SPARSE_SLOT_BYTES + 9 : 24; }

/// Two ranks to which a rank sends in a step: rank 0, and another one in each step.
std::vector<int> targets_of(int origin, std::uint64_t step) { return {0, (origin + static_cast<int>(step)) % size()}; }

struct Received {
  std::uint64_t step = 0;
  std::vector<int> origins;

  static void take(int origin, const void *data, std::int64_t bytes, void *user) {
    auto &mine = *static_cast<Received *>(user);
    const std::vector<std::byte> right = bytes_of(origin, mine.step, bytes_in(mine.step));
    const auto *begin = static_cast<const std::byte *>(data);
    EXPECT_TRUE(std::equal(right.begin(), right.end(), begin, begin + bytes)) << "from rank " << origin << " in step " << mine.step;
    mine.origins.push_back(origin);
  }
};

std::vector<int> expected_origins(std::uint64_t step) {
  std::vector<int> all;
  for (int origin = 0; origin < size(); ++origin)
    for (const int target : targets_of(origin, step))
      if (target == rank()) all.push_back(origin);
  return all;
}

void exchange(hlc_sparse *sparse, Received &received, std::uint64_t step) {
  received = {step, {}};
  const std::vector<std::byte> bytes = bytes_of(rank(), step, bytes_in(step));
  std::vector<hlc_sparse_message> messages;
  for (const int target : targets_of(rank(), step)) messages.push_back({target, bytes.data(), bytes_in(step)});
  EXPECT_TRUE(ok(hlc_sparse_exchange(sparse, static_cast<int>(messages.size()), messages.data())));
  std::sort(received.origins.begin(), received.origins.end());
  EXPECT_EQ(received.origins, expected_origins(step)) << "step " << step;
}

/// One slot: each piece waits for the one before. Four: a row that is used again and again.
TEST_P(SparseThreads, exchange_without_a_race) {
  as_ranks(GetParam(), [] {
    for (const int slots : {1, 4}) {
      Received received;
      const hlc_sparse_spec spec{slots, &Received::take, &received, nullptr};
      hlc_sparse *sparse = nullptr;
      ASSERT_TRUE(ok(hlc_sparse_create(context(), &spec, &sparse)));
      Skew skew(static_cast<std::uint64_t>(slots));
      for (std::uint64_t step = 1; step <= 100; ++step) {
        skew.delay();
        exchange(sparse, received, step);
      }
      EXPECT_TRUE(ok(hlc_sparse_destroy(&sparse)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SparseThreads, testing::Values(2, 3),
                         [](const auto &info) { return "sparse_n" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline::test
