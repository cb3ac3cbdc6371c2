// Sorting the stakes of a node's ranks into bundles: each rank comes to the same, every byte has one place, and nobody carries more than others.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/aggregates.hpp"

#include <gtest/gtest.h>

#include <map>

namespace halocline {
namespace {

constexpr std::int64_t kWords = 256;

/// Four ranks, three other nodes; member 3 has to do with none of them.
std::vector<Contribution> stakes() {
  return {{7, 2, 128, 192, 64, 0}, {2, 1, 64, 64, 64, 1},    {7, 1, 64, 64, 128, 1},
          {9, 1, 320, 320, 0, 1},  {2, 3, 192, 192, 192, 2}, {9, 2, 0, 64, 448, 2}};
}

TEST(Bundles, join_what_all_ranks_have_in_one_node) {
  const std::vector<Bundle> found = lay_out_aggregates(stakes(), 1, kWords);
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

TEST(Bundles, give_each_rank_its_place_behind_those_before_it) {
  const Bundle first = lay_out_aggregates(stakes(), 0, kWords)[0], second = lay_out_aggregates(stakes(), 1, kWords)[1];
  EXPECT_EQ(first.node, 7);
  EXPECT_EQ(second.node, 7);
  EXPECT_EQ(first.first_edge, 0);
  EXPECT_EQ(first.my_place, 0);
  EXPECT_EQ(second.first_edge, 2);
  EXPECT_EQ(second.my_place, 128);
}

TEST(Bundles, are_those_that_the_rank_has_a_stake_in) {
  EXPECT_EQ(lay_out_aggregates(stakes(), 0, kWords).size(), 1u);
  EXPECT_EQ(lay_out_aggregates(stakes(), 2, kWords).size(), 2u);
  EXPECT_TRUE(lay_out_aggregates(stakes(), 3, kWords).empty());
}

TEST(Bundles, have_one_carrier_each_that_all_ranks_agree_on) {
  std::map<std::int64_t, Member> carriers;
  for (Member me = 0; me < 4; ++me)
    for (const Bundle &bundle : lay_out_aggregates(stakes(), me, kWords)) {
      EXPECT_EQ(carriers.emplace(bundle.node, bundle.carrier).first->second, bundle.carrier);
      EXPECT_NE(std::find(bundle.members.begin(), bundle.members.end(), bundle.carrier), bundle.members.end()) << "who carries has a stake";
    }
  EXPECT_EQ(carriers, (std::map<std::int64_t, Member>{{2, 1}, {7, 0}, {9, 2}})) << "one bundle for each of three ranks";
}

TEST(Bundles, of_one_carrier_lie_one_behind_the_other) {
  const std::vector<Contribution> alone = {{1, 1, 64, 64, 64, 0}, {2, 40, 64, 64, 128, 0}, {3, 1, 0, 0, 0, 0}};
  std::int64_t end = 0;
  for (const Bundle &bundle : lay_out_aggregates(alone, 0, kWords)) {
    EXPECT_GE(bundle.place, end);
    EXPECT_EQ(bundle.place % static_cast<std::int64_t>(kLinePair), 0);
    end = bundle.place + aggregate_bytes(bundle, kWords);
  }
  EXPECT_EQ(end, 896 + 2304 + 640) << "words, landing, news and twice two slots each; the first two are rounded up";
}

TEST(Bundles, take_no_place_from_a_peer_that_is_not_behind_the_head_and_within_the_slot) {
  const Bundle bundle = lay_out_aggregates(stakes(), 0, kWords)[0];
  const std::int64_t head = head_bytes(bundle), end = slot_bytes(bundle, bundle.in);
  EXPECT_EQ(bundle.in, 192);
  EXPECT_TRUE(lies_in_slot(bundle, static_cast<std::uint64_t>(head), 192));
  EXPECT_TRUE(lies_in_slot(bundle, static_cast<std::uint64_t>(end - 64), 64));
  EXPECT_FALSE(lies_in_slot(bundle, static_cast<std::uint64_t>(head), 193));
  EXPECT_FALSE(lies_in_slot(bundle, static_cast<std::uint64_t>(end - 64), 65));
  EXPECT_FALSE(lies_in_slot(bundle, static_cast<std::uint64_t>(end + 64), 8));
  EXPECT_FALSE(lies_in_slot(bundle, 0, 8)) << "in the head";
  EXPECT_FALSE(lies_in_slot(bundle, static_cast<std::uint64_t>(head + 4), 8)) << "not on a chunk";
  for (const std::uint64_t far : {~std::uint64_t{63}, std::uint64_t{1} << 63, std::uint64_t{1} << 62})
    EXPECT_FALSE(lies_in_slot(bundle, far, 8)) << far;
}

}  // namespace
}  // namespace halocline
