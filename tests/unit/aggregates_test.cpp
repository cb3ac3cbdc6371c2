// Assigning the contributions of a node's ranks to aggregates. Each rank computes the same layout, every byte has one place, and leaders
// are spread evenly over the ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/aggregates.hpp"

#include <gtest/gtest.h>

#include <map>

namespace halocline::core {
namespace {

constexpr std::int64_t kWords = 256;

/// Four ranks, three other nodes; member 3 exchanges data with none of them.
std::vector<Contribution> contributions() {
  return {{7, 2, 128, 192, 64, 0}, {2, 1, 64, 64, 64, 1},    {7, 1, 64, 64, 128, 1},
          {9, 1, 320, 320, 0, 1},  {2, 3, 192, 192, 192, 2}, {9, 2, 0, 64, 448, 2}};
}

TEST(Aggregates, join_what_all_ranks_have_in_one_node) {
  const std::vector<Aggregate> found = lay_out_aggregates(contributions(), 1, kWords);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].node, 2);
  EXPECT_EQ(found[1].node, 7);
  EXPECT_EQ(found[2].node, 9);
  EXPECT_EQ(found[1].members, (std::vector<Member>{0, 1}));
  EXPECT_EQ(found[1].edges, 3);
  EXPECT_EQ(found[1].planned, 192);
  EXPECT_EQ(found[1].out, 256);
  EXPECT_EQ(found[1].in, 192);
  EXPECT_EQ(found[2].members, (std::vector<Member>{1, 2}));
}

TEST(Aggregates, give_each_rank_its_place_behind_those_before_it) {
  const Aggregate first = lay_out_aggregates(contributions(), 0, kWords)[0], second = lay_out_aggregates(contributions(), 1, kWords)[1];
  EXPECT_EQ(first.node, 7);
  EXPECT_EQ(second.node, 7);
  EXPECT_EQ(first.first_edge, 0);
  EXPECT_EQ(first.my_place, 0);
  EXPECT_EQ(second.first_edge, 2);
  EXPECT_EQ(second.my_place, 128);
}

TEST(Aggregates, are_those_that_the_rank_has_a_stake_in) {
  EXPECT_EQ(lay_out_aggregates(contributions(), 0, kWords).size(), 1u);
  EXPECT_EQ(lay_out_aggregates(contributions(), 2, kWords).size(), 2u);
  EXPECT_TRUE(lay_out_aggregates(contributions(), 3, kWords).empty());
}

TEST(Aggregates, have_one_carrier_each_that_all_ranks_agree_on) {
  std::map<std::int64_t, Member> leader;
  for (Member me = 0; me < 4; ++me)
    for (const Aggregate &aggregate : lay_out_aggregates(contributions(), me, kWords)) {
      EXPECT_EQ(leader.emplace(aggregate.node, aggregate.leader).first->second, aggregate.leader);
      EXPECT_NE(std::find(aggregate.members.begin(), aggregate.members.end(), aggregate.leader), aggregate.members.end())
          << "who carries has a contribution";
    }
  EXPECT_EQ(leader, (std::map<std::int64_t, Member>{{2, 1}, {7, 0}, {9, 2}})) << "one aggregate for each of three ranks";
}

TEST(Aggregates, of_one_carrier_lie_one_behind_the_other) {
  const std::vector<Contribution> alone = {{1, 1, 64, 64, 64, 0}, {2, 40, 64, 64, 128, 0}, {3, 1, 0, 0, 0, 0}};
  std::int64_t end = 0;
  for (const Aggregate &aggregate : lay_out_aggregates(alone, 0, kWords)) {
    EXPECT_GE(aggregate.place, end);
    EXPECT_EQ(aggregate.place % static_cast<std::int64_t>(kLinePair), 0);
    end = aggregate.place + aggregate_bytes(aggregate, kWords);
  }
  EXPECT_EQ(end, 896 + 2304 + 640) << "words, target, notice and twice two slots each; the first two are rounded up";
}

TEST(Aggregates, take_no_place_from_a_peer_that_is_not_behind_the_head_and_within_the_slot) {
  const Aggregate aggregate = lay_out_aggregates(contributions(), 0, kWords)[0];
  const std::int64_t head = head_bytes(aggregate), end = slot_bytes(aggregate, aggregate.in);
  EXPECT_EQ(aggregate.in, 192);
  EXPECT_TRUE(lies_in_slot(aggregate, static_cast<std::uint64_t>(head), 192));
  EXPECT_TRUE(lies_in_slot(aggregate, static_cast<std::uint64_t>(end - 64), 64));
  EXPECT_FALSE(lies_in_slot(aggregate, static_cast<std::uint64_t>(head), 193));
  EXPECT_FALSE(lies_in_slot(aggregate, static_cast<std::uint64_t>(end - 64), 65));
  EXPECT_FALSE(lies_in_slot(aggregate, static_cast<std::uint64_t>(end + 64), 8));
  EXPECT_FALSE(lies_in_slot(aggregate, 0, 8)) << "in the head";
  EXPECT_FALSE(lies_in_slot(aggregate, static_cast<std::uint64_t>(head + 4), 8)) << "not on a chunk";
  for (const std::uint64_t far : {~std::uint64_t{63}, std::uint64_t{1} << 63, std::uint64_t{1} << 62})
    EXPECT_FALSE(lies_in_slot(aggregate, far, 8)) << far;
}

}  // namespace
}  // namespace halocline::core
