// The rounds in which the counts of a sparse exchange travel: each count reaches its rank, and no rank holds more than is said.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "sparse/node_rounds.hpp"

namespace halocline::core {
namespace {

/// What a rank holds: for each target the ranks whose counts are in it.
using Held = std::map<int, std::multiset<int>>;

struct Job {
  int nodes, members;

  int size() const { return nodes * members; }
  NodeRounds at(int rank) const { return {rank, nodes, members}; }
};

/// At first each rank has a count for every rank.
std::vector<Held> first_counts(const Job &job) {
  std::vector<Held> held(static_cast<std::size_t>(job.size()));
  for (int rank = 0; rank < job.size(); ++rank)
    for (int target = 0; target < job.size(); ++target) held[static_cast<std::size_t>(rank)][target].insert(rank);
  return held;
}

/// What each rank holds after a round.
std::vector<Held> after(const Job &job, int round, const std::vector<Held> &before) {
  std::vector<Held> held(before.size());
  for (int rank = 0; rank < job.size(); ++rank) {
    const NodeRounds order = job.at(rank);
    EXPECT_EQ(job.at(order.above(round)).below(round), rank);
    for (const auto &[target, origins] : before[static_cast<std::size_t>(rank)]) {
      const int holder = order.goes_up(target, round) ? order.above(round) : rank;
      held[static_cast<std::size_t>(holder)][target].insert(origins.begin(), origins.end());
    }
  }
  return held;
}

void expect_no_more_than_is_said(const Job &job, int round, const std::vector<Held> &held) {
  for (const Held &one : held) {
    EXPECT_LE(static_cast<std::int64_t>(one.size()), job.at(0).most_targets(round));
    for (const auto &[target, origins] : one) EXPECT_LE(origins.size(), std::size_t{1} << round);
  }
}

/// All that are held are for the holder, one from each rank.
void expect_all_arrived(const Job &job, const std::vector<Held> &held) {
  for (int rank = 0; rank < job.size(); ++rank) {
    const Held &mine = held[static_cast<std::size_t>(rank)];
    ASSERT_EQ(mine.size(), 1U);
    EXPECT_EQ(mine.begin()->first, rank);
    EXPECT_EQ(mine.begin()->second.size(), static_cast<std::size_t>(job.size()));
  }
}

TEST(NodeRounds, bring_each_count_to_its_rank) {
  for (int nodes = 1; nodes <= 9; ++nodes)
    for (int members = 1; members <= 6; ++members) {
      const Job job{nodes, members};
      std::vector<Held> held = first_counts(job);
      for (int round = 0; round < job.at(0).rounds(); ++round) {
        expect_no_more_than_is_said(job, round, held);
        held = after(job, round, held);
      }
      expect_all_arrived(job, held);
    }
}

TEST(NodeRounds, leave_the_node_first) {
  const NodeRounds order(5, 4, 4);
  EXPECT_EQ(order.rounds(), 4);
  EXPECT_EQ(order.above(0), 9);
  EXPECT_EQ(order.above(1), 13);
  EXPECT_EQ(order.above(2), 6);
  EXPECT_EQ(order.above(3), 7);
  EXPECT_EQ(order.round_to(13), 1);
  EXPECT_EQ(order.round_to(6), -1);
  EXPECT_EQ(order.round_to(1), -1);
}

}  // namespace
}  // namespace halocline::core
