// The modes of a swap as protocols: the order of what they wait for, and times that can be worked out by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <swaps.hpp>

#include <gtest/gtest.h>

namespace {

using namespace simulate;

constexpr double kRounding = 1e-6, kCopy = 0.01, kPack = 0.017, kBytes = 20000;

Machine swap_machine(int ranks_per_node) {
  Machine machine;
  machine.node.copy_us_per_byte = kCopy, machine.node.pack_us_per_byte = kPack;
  machine.node.put_us = 0.5, machine.node.put_us_per_byte = 0.02;
  machine.node.message_us = 0.7, machine.node.message_us_per_byte = 0.03;
  machine.node.flush_us = 0.1, machine.node.handover_us = 0.2, machine.node.lock_us = 1.1;
  machine.network.ranks_per_node = ranks_per_node;
  machine.network.latency_us = 3, machine.network.us_per_byte = 0.001, machine.network.overhead_us = 0.4;
  machine.network.operation_us = 0.01, machine.network.signal_us = 0.3;
  return machine;
}

/// Two ranks that are neighbours once, on one node or on two.
double swap_us(const std::string &mode, int ranks_per_node) {
  const Pattern pattern{{{1, kBytes}}, {{0, kBytes}}};
  const Machine machine = swap_machine(ranks_per_node);
  return run(swap_job(mode, pattern, machine, {}), machine, {1, 2, 1}).round_us;
}

TEST(Swaps, on_a_node_each_mode_takes_the_sum_of_its_parts) {
  const double copy = kCopy * kBytes, pack = kPack * kBytes, message = 0.7 + 0.03 * kBytes, put = 0.5 + 0.02 * kBytes;
  EXPECT_NEAR(swap_us("p2p", 2), pack + message + 0.2 + message + pack, kRounding);
  EXPECT_NEAR(swap_us("notify", 2), pack + 0.2 + pack, kRounding);
  EXPECT_NEAR(swap_us("direct", 2), 0.2 + copy + 0.2, kRounding);
  EXPECT_NEAR(swap_us("view", 2), 0.2 + 0.2, kRounding);
  // A flush, then a message in each direction. Its sender and its receiver work 0.7 us each.
  EXPECT_NEAR(swap_us("fence", 2), pack + put + 0.1 + 0.7 + 0.2 + 0.7 + pack, kRounding);
  EXPECT_NEAR(swap_us("passive", 2), pack + put + 0.1 + 0.7 + 0.2 + 0.7 + pack, kRounding);
  // The post of the next round is sent before this one is completed.
  EXPECT_NEAR(swap_us("pscw", 2), pack + put + 0.7 + 0.1 + 0.7 + 0.2 + 0.7 + pack, kRounding);
}

TEST(Swaps, between_nodes_each_mode_takes_the_sum_of_its_parts) {
  const double pack = kPack * kBytes, transfer = 3 + 0.001 * kBytes;
  EXPECT_NEAR(swap_us("notify", 1), pack + 0.4 + transfer + pack, kRounding);
  EXPECT_NEAR(swap_us("p2p", 1), pack + 0.7 + 0.4 + 2 * (3 + 0.7) + transfer + 0.7 + pack, kRounding);
  EXPECT_NEAR(swap_us("passive", 1), pack + 0.4 + 0.1 - 0.1 + transfer + 3 + 0.7 + 0.4 + 3.02 + 0.7 + pack, 0.11);
  EXPECT_NEAR(swap_us("notify_node", 1), pack + 0.4 + transfer + pack, kRounding);
}

TEST(Swaps, a_rank_that_is_its_own_neighbour_copies) {
  const Machine machine = swap_machine(1);
  for (const std::string &mode : swap_mode_names()) {
    const Job job = swap_job(mode, {{{0, kBytes}}}, machine, {});
    EXPECT_GE(run(job, machine, {0, 1, 1}).worst_us, kCopy * kBytes) << mode;
  }
}

TEST(Swaps, every_mode_ends_on_any_grid_and_node) {
  for (const std::string &mode : swap_mode_names())
    for (const int ranks : {1, 2, 3, 6, 12, 30})
      for (const int ranks_per_node : {1, 4, 32}) {
        HaloProblem problem;
        problem.local = {8, 8, 16}, problem.ranks = grid_of(ranks, 2);
        const Machine machine = swap_machine(ranks_per_node);
        const Job job = swap_job(mode, halo_pattern(problem, 2), machine, {5, 2});
        EXPECT_GT(run(job, machine, {1, 2, 1}).mean_us, 0) << mode << ", " << ranks << " ranks, " << ranks_per_node << " per node";
      }
}

TEST(Swaps, a_mode_that_is_none_is_refused) { EXPECT_THROW(swap_job("telepathy", {{}}, swap_machine(1), {}), Refusal); }

TEST(Swaps, nobody_leaves_a_fence_before_the_last_has_come) {
  const Machine machine = swap_machine(4);
  constexpr double kLate = 500;
  const auto job_of = [&](const char *mode) {
    Job job = swap_job(mode, ring_pattern(64, 2, 100), machine, {});
    Script late;
    late.work(kLate);
    for (const Step &step : job.of(0).steps()) step.kind == Kind::work ? late.work(step.us) : late.add(step);
    job.of(0) = late;
    return job;
  };
  // Of the mean of 64 ranks: all wait for the late one, or its two neighbours alone.
  EXPECT_GT(run(job_of("fence"), machine, {0, 1, 1}).mean_us, kLate * 62 / 64);
  EXPECT_LT(run(job_of("notify"), machine, {0, 1, 1}).mean_us, kLate * 4 / 64);
}

}  // namespace
