// The rounds of a dissemination barrier: after the last one each member knows of all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bitset>
#include <vector>

#include "engine/sync/dissemination.hpp"

namespace halocline::core {
namespace {

constexpr int kMax = 40;
using Heard = std::bitset<kMax>;

/// The members that each of some knows of after all rounds.
std::vector<Heard> all_rounds(int members) {
  std::vector<Heard> heard(static_cast<std::size_t>(members));
  for (int index = 0; index < members; ++index) heard[static_cast<std::size_t>(index)].set(static_cast<std::size_t>(index));
  for (int round = 0; round < doubling_rounds(members); ++round) {
    const std::vector<Heard> before = heard;
    for (int index = 0; index < members; ++index) {
      const int above = Dissemination(index, members).above(round);
      EXPECT_EQ(Dissemination(above, members).below(round), index);
      heard[static_cast<std::size_t>(above)] |= before[static_cast<std::size_t>(index)];
    }
  }
  return heard;
}

TEST(Dissemination, tells_each_member_of_all) {
  for (int members = 1; members <= kMax; ++members)
    for (const Heard &heard : all_rounds(members)) EXPECT_EQ(heard.count(), static_cast<std::size_t>(members));
}

TEST(Dissemination, needs_no_more_rounds_than_doublings) {
  EXPECT_EQ(doubling_rounds(1), 0);
  EXPECT_EQ(doubling_rounds(2), 1);
  EXPECT_EQ(doubling_rounds(3), 2);
  EXPECT_EQ(doubling_rounds(4), 2);
  EXPECT_EQ(doubling_rounds(65535), 16);
}

/// Each step succeeds at the third call.
TEST(RoundsPassed, goes_on_where_a_step_has_returned) {
  RoundsPassed rounds;
  std::vector<int> steps;
  int tries = 0;
  const auto third = [&](int step) {
    if (++tries % 3 != 0) return Status::again;
    steps.push_back(step);
    return Status::ok;
  };
  const auto pass = [&] {
    return rounds.pass(3, [&](int round) { return third(10 + round); }, [&](int round) { return third(20 + round); });
  };
  int calls = 1;
  while (pass() == Status::again) ++calls;
  EXPECT_EQ(calls, 13);
  EXPECT_EQ(steps, (std::vector<int>{10, 20, 11, 21, 12, 22}));
  EXPECT_EQ(pass(), Status::ok);
  rounds.restart();
  EXPECT_EQ(pass(), Status::again);
}

}  // namespace
}  // namespace halocline::core
