// In ceil(log2 N) steps every node gets the packs of all N nodes, each pack once.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <gtest/gtest.h>

#include "reduce/plan.hpp"

namespace halocline::test {
using namespace core;
namespace {

/// Whose packs a node has, in the order of its rows.
using Packs = std::vector<int>;

std::vector<Packs> begin_with_own(int nodes) {
  std::vector<Packs> all;
  for (int node = 0; node < nodes; ++node) all.push_back({node});
  return all;
}

/// What the nodes have after a step.
std::vector<Packs> after_step(const std::vector<Packs> &had, int step) {
  const int nodes = static_cast<int>(had.size());
  std::vector<Packs> have = had;
  for (int node = 0; node < nodes; ++node) {
    const Packs &sent = had[static_cast<std::size_t>(node)];
    Packs &received = have[static_cast<std::size_t>((node + (1 << step)) % nodes)];
    received.insert(received.end(), sent.begin(), sent.begin() + packs_of_step(nodes, step));
  }
  return have;
}

TEST(Doubling, brings_every_pack_to_every_node_in_log2_steps) {
  for (int nodes = 2; nodes <= 70; ++nodes) {
    std::vector<Packs> all = begin_with_own(nodes);
    EXPECT_LT(1 << (doubling_steps(nodes) - 1), nodes);
    EXPECT_GE(1 << doubling_steps(nodes), nodes);
    for (int step = 0; step < doubling_steps(nodes); ++step) all = after_step(all, step);
    for (int node = 0; node < nodes; ++node) {
      const Packs &packs = all[static_cast<std::size_t>(node)];
      ASSERT_EQ(packs.size(), static_cast<std::size_t>(nodes)) << "node " << node << " of " << nodes;
      for (int before = 0; before < nodes; ++before)
        EXPECT_EQ(packs[static_cast<std::size_t>(before)], (node - before + nodes) % nodes) << "node " << node << " of " << nodes;
    }
  }
}

}  // namespace
}  // namespace halocline::test
