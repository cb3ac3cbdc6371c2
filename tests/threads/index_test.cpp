// Index halos with threads as ranks under ThreadSanitizer: whole swaps, subsets, reverse swaps and views under random skew. Each value is
// checked, and every access that the protocol does not order is reported as a race.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/index_rig.hpp"
#include "support/skew.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class ThreadsIndex : public testing::TestWithParam<std::tuple<ModeChoice, int>> {};

TEST_P(ThreadsIndex, swap_listed_entries_without_a_race_under_random_skew) {
  as_ranks(std::get<1>(GetParam()), [] {
    Random random(mixed(seed() ^ 41));
    IndexRig rig(random_index_case(size(), {float64, {HLC_INT32, 4}}, random), std::get<0>(GetParam()));
    if (!rig.ready()) return;
    Skew skew(41);
    for (int step = 1; step <= 30 / size(); ++step) {
      const bool reverse = between(random, 0, 2) == 0;
      std::vector<int> fields;
      if (between(random, 0, 2) == 0) fields.push_back(static_cast<int>(between(random, 0, 1)));
      rig.start(step, reverse, fields);
      skew.delay();
      rig.finish(step, reverse, fields);
      skew.delay();
    }
  });
}

TEST_P(ThreadsIndex, read_views_without_a_race) {
  as_ranks(std::get<1>(GetParam()), [] {
    Random random(mixed(seed() ^ 42));
    IndexRig rig(random_index_case(size(), {float64}, random), std::get<0>(GetParam()));
    if (!rig.ready()) return;
    Skew skew(42);
    for (int step = 1; step <= 20 / size(); ++step) {
      rig.start(step);
      EXPECT_TRUE(ok(hlc_index_halo_finish_views(rig.halo())));
      skew.delay();
      for (std::size_t n = 0; n < rig.links().size(); ++n) rig.expect_view(n, 0, step);
      EXPECT_TRUE(ok(hlc_index_halo_release(rig.halo())));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, ThreadsIndex,
                         testing::Combine(testing::Values(all_modes[0], all_modes[9], all_modes[10], all_modes[11]), testing::Values(2, 3)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_n" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace halocline::test
