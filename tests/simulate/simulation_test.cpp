// The event model against times that can be worked out by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <pattern.hpp>
#include <simulation.hpp>

#include <gtest/gtest.h>

namespace {

using namespace simulate;

constexpr double kClose = 1e-9;

/// Nodes of one rank; each number is of another size, so that a sum tells its parts.
Machine machine_of(int ranks_per_node) {
  Machine machine;
  machine.node.handover_us = 0.25;
  machine.network.ranks_per_node = ranks_per_node;
  machine.network.latency_us = 10;
  machine.network.us_per_byte = 0.001;
  machine.network.operation_us = 0.01;
  machine.network.atomic_us = 300;
  machine.network.packet_bytes = 1000;
  return machine;
}

double worst_us(const Job &job, const Machine &machine) { return run(job, machine, {0, 1, 1}).worst_us; }

/// Rank 0 sends, rank 1 waits.
Job one_message(double bytes) {
  Job job(2);
  job.of(0).send({1, kPosted, bytes});
  job.of(1).begin();
  job.of(1).wait(kPosted, 1);
  job.of(1).end();
  return job;
}

TEST(Simulation, a_store_on_the_node_takes_its_hand_over) { EXPECT_NEAR(worst_us(one_message(5000), machine_of(2)), 0.25, kClose); }

TEST(Simulation, a_message_between_nodes_takes_latency_and_its_bytes) {
  EXPECT_NEAR(worst_us(one_message(5000), machine_of(1)), 15, kClose);
}

TEST(Simulation, a_short_message_takes_at_least_an_operation) {
  // It passes both ports at the same time.
  EXPECT_NEAR(worst_us(one_message(0), machine_of(1)), 10.01, kClose);
}

TEST(Simulation, long_messages_share_a_port_evenly) {
  Job job(3);
  for (const int rank : {0, 1}) job.of(rank).send({2, kPosted, rank == 0 ? 5000.0 : 9000.0});
  job.of(2).begin();
  job.of(2).wait(kPosted, 1);
  job.of(2).end();
  job.of(2).wait(kPosted, 1);
  // The target's port serves both: the shorter one needs 10 us for its 5000 bytes.
  EXPECT_NEAR(worst_us(job, machine_of(1)), 20, kClose);
  Job both(3);
  for (const int rank : {0, 1}) both.of(rank).send({2, kPosted, rank == 0 ? 5000.0 : 9000.0});
  both.of(2).begin();
  both.of(2).wait(kPosted, 2);
  both.of(2).end();
  EXPECT_NEAR(worst_us(both, machine_of(1)), 24, kClose);
}

TEST(Simulation, a_short_message_passes_a_long_one) {
  Job job(2);
  job.of(0).send({1, kPosted, 1e6});
  job.of(0).send({1, kCompleted, 0});
  job.of(1).begin();
  job.of(1).wait(kCompleted, 1);
  job.of(1).end();
  job.of(1).wait(kPosted, 1);
  EXPECT_NEAR(worst_us(job, machine_of(1)), 10.01, kClose);
}

TEST(Simulation, an_atomic_operation_returns_after_two_latencies) {
  Job job(2);
  job.of(0).begin();
  job.of(0).send({1, kNone, 8, 0, kAcknowledged, Way::atomic});
  job.of(0).wait(kAcknowledged, 1);
  job.of(0).end();
  EXPECT_NEAR(worst_us(job, machine_of(1)), 10.01 + 300 + 10, kClose);
}

TEST(Simulation, the_bytes_of_a_get_come_back) {
  Job job(2);
  job.of(0).begin();
  job.of(0).send({1, kNone, 5000, 0, kAcknowledged, Way::get});
  job.of(0).wait(kAcknowledged, 1);
  job.of(0).end();
  EXPECT_NEAR(worst_us(job, machine_of(1)), 10.01 + 15, kClose);
  Machine slow = machine_of(1);
  slow.network.read_us = 40;
  EXPECT_NEAR(worst_us(job, slow), 10.01 + 40 + 15, kClose);
}

TEST(Simulation, a_rendezvous_asks_before_it_sends) {
  Machine machine = machine_of(1);
  machine.node.message_us = 3;
  Job job = one_message(0);
  job.scripts[0] = {};
  job.of(0).send({1, kPosted, 5000, 0, kNone, Way::rendezvous});
  EXPECT_NEAR(worst_us(job, machine), 2 * (10 + 3) + 15, kClose);
}

TEST(Simulation, arrivals_are_taken_in_their_order_with_their_work) {
  Job job(3);
  job.of(0).work(100);
  job.of(0).send({2, kData, 0, 7});
  job.of(1).send({2, kData, 0, 50});
  job.of(2).begin();
  job.of(2).take(kData, 2);
  job.of(2).end();
  // The second has arrived when the first has been taken: 100.25, then its own work.
  EXPECT_NEAR(worst_us(job, machine_of(3)), 107.25, kClose);
}

TEST(Simulation, a_notification_reaches_all_ranks_of_its_group) {
  Job job(4);
  job.groups = {{2, 3}};
  job.of(0).send({2, kReady, 5000, 0, kNone, Way::put, 0, 0});
  for (const int rank : {2, 3}) {
    job.of(rank).begin();
    job.of(rank).wait(kReady, 1);
    job.of(rank).end();
  }
  EXPECT_NEAR(run(job, machine_of(2), {0, 1, 1}).mean_us, 15 * 2 / 4.0, kClose);
}

TEST(Simulation, ranks_that_share_a_core_take_turns) {
  Machine machine = machine_of(2);
  Job job(2);
  for (const int rank : {0, 1}) {
    job.of(rank).begin();
    job.of(rank).work(40);
    job.of(rank).send({1 - rank, kPosted});
    job.of(rank).wait(kPosted, 1);
    job.of(rank).end();
  }
  EXPECT_NEAR(run(job, machine, {0, 1, 1}).round_us, 40.25, kClose);
  machine.node.cores = 1, machine.node.switch_us = 2;
  // Rank 0 begins at 2 and waits at 42. Rank 1 begins at 44 and ends at 84, when it finds the word of rank 0; its own is seen at 84.25. It gives the core up
  // at its end, and rank 0 has it at 86.25.
  const Outcome shared = run(job, machine, {0, 1, 1});
  EXPECT_NEAR(shared.round_us, 86.25 - 44, kClose);
  EXPECT_NEAR(shared.worst_us, 86.25 - 2, kClose);
}

TEST(Simulation, a_rank_that_waits_for_ever_is_named) {
  Job job(2);
  job.of(1).wait(kPosted, 1);
  try {
    run(job, machine_of(1), {0, 1, 1});
    FAIL() << "rank 1 cannot have ended";
  } catch (const Refusal &refusal) {
    EXPECT_STREQ(refusal.what(), "rank 1 waits forever");
  }
}

TEST(Simulation, the_same_seed_gives_the_same_result_to_the_last_bit) {
  Job job(64);
  for (int rank = 0; rank < 64; ++rank) {
    job.of(rank).begin();
    job.of(rank).noise(10);
    job.of(rank).send({(rank + 1) % 64, kPosted, 5000});
    job.of(rank).wait(kPosted, 1);
    job.of(rank).end();
  }
  const auto mean_us = [&](std::uint64_t seed) { return run(job, machine_of(4), {1, 3, seed}).mean_us; };
  EXPECT_EQ(mean_us(1), mean_us(1));
  EXPECT_NE(mean_us(1), mean_us(2));
}

TEST(Simulation, delays_have_the_same_mean_in_both_shapes_and_even_ones_have_a_bound) {
  Job job(2000);
  for (int rank = 0; rank < job.ranks(); ++rank) {
    job.of(rank).begin();
    job.of(rank).noise(10);
    job.of(rank).end();
  }
  const Outcome unbounded = run(job, machine_of(1), {0, 1, 1}), even = run(job, machine_of(1), {0, 1, 1, Noise::even});
  EXPECT_NEAR(unbounded.mean_us, 10, 1);
  EXPECT_NEAR(even.mean_us, 10, 0.5);
  EXPECT_GT(unbounded.worst_us, 40);
  EXPECT_LE(even.worst_us, 20);
}

TEST(Pattern, grids_are_as_equal_as_they_can_be) {
  EXPECT_EQ(grid_of(32768, 2), (std::array<int, 3>{256, 128, 1}));
  EXPECT_EQ(grid_of(512, 3), (std::array<int, 3>{8, 8, 8}));
  EXPECT_EQ(grid_of(6, 2), (std::array<int, 3>{3, 2, 1}));
}

TEST(Pattern, halos_have_the_bytes_of_the_paper) {
  HaloProblem problem;
  problem.local = {16, 16, 256}, problem.ranks = {4, 4, 1}, problem.depth = 2;
  const Pattern pattern = halo_pattern(problem, 2);
  // Brown et al., section V: faces of 64 KiB, corners of 8 KiB, which the paper counts as 4 KiB.
  EXPECT_EQ(pattern[5].size(), 8U);
  EXPECT_DOUBLE_EQ(longest_of(pattern[5]), 65536);
  EXPECT_DOUBLE_EQ(bytes_of(pattern[5]), 4 * 65536 + 4 * 8192);
}

TEST(Pattern, halos_in_strong_scaling_have_the_bytes_of_the_paper) {
  // Brown et al., figure 9: halo sizes in KB. Its corners of 2 KB are of half the depth.
  const double sizes[][3] = {{2048, 128, 64}, {4096, 64, 64}, {8192, 64, 32}, {16384, 32, 32}, {32768, 32, 16}};
  for (const auto &[ranks, longer, shorter] : sizes) {
    HaloProblem problem;
    problem.ranks = grid_of(static_cast<int>(ranks), 2), problem.depth = 2;
    problem.local = {2048.0 / problem.ranks[0], 2048.0 / problem.ranks[1], 128};
    const std::vector<Link> links = halo_pattern(problem, 2)[0];
    EXPECT_DOUBLE_EQ(longest_of(links), 1024 * longer) << ranks;
    EXPECT_DOUBLE_EQ(bytes_of(links), 1024 * (2 * longer + 2 * shorter + 4 * 4)) << ranks;
  }
}

TEST(Pattern, what_a_rank_sends_its_peer_receives) {
  HaloProblem problem;
  problem.local = {4, 8, 2}, problem.ranks = {3, 2, 4};
  const Pattern pattern = halo_pattern(problem, 3);
  std::vector<std::vector<double>> sent(24, std::vector<double>(24, 0));
  for (std::size_t rank = 0; rank < 24; ++rank)
    for (const Link &link : pattern[rank]) sent[rank][static_cast<std::size_t>(link.peer)] += link.bytes;
  for (std::size_t a = 0; a < 24; ++a)
    for (std::size_t b = 0; b < 24; ++b) EXPECT_DOUBLE_EQ(sent[a][b], sent[b][a]) << a << " and " << b;
}

}  // namespace
