// The modes of a swap as protocols: the order of what they wait for, and times that can be worked out by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <random.hpp>
#include <swaps.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

/// A machine on which nothing takes time but the delays of the ranks.
Machine free_machine(int ranks_per_node) {
  Machine machine;
  machine.network.ranks_per_node = ranks_per_node;
  machine.network.us_per_byte = 0;
  return machine;
}

/// The ranks that must have begun a swap before a rank can leave it: all that are so many steps away at most, found slowly.
std::vector<std::vector<int>> reach_of(const Pattern &pattern, int steps) {
  std::vector<std::vector<int>> reach;
  for (int rank = 0; rank < static_cast<int>(pattern.size()); ++rank) {
    std::vector<bool> is_in(pattern.size(), false);
    is_in[static_cast<std::size_t>(rank)] = true;
    for (int step = 0; step < steps; ++step) {
      const std::vector<bool> before = is_in;
      for (std::size_t from = 0; from < pattern.size(); ++from)
        for (const Link &link : pattern[from])
          if (before[from]) is_in[static_cast<std::size_t>(link.peer)] = true;
    }
    reach.emplace_back();
    for (int other = 0; other < static_cast<int>(pattern.size()); ++other)
      if (is_in[static_cast<std::size_t>(other)]) reach.back().push_back(other);
  }
  return reach;
}

/// The oracle: a rank leaves a swap when all that it depends on have begun it. Its delays are those of the simulation.
Outcome oracle(const std::vector<std::vector<int>> &reach, double noise_us, const Rounds &rounds) {
  std::vector<double> left(reach.size(), 0), spent(reach.size(), 0);
  for (int round = 0; round < rounds.warmups + rounds.counted; ++round) {
    std::vector<double> begun;
    for (std::size_t rank = 0; rank < reach.size(); ++rank)
      begun.push_back(left[rank] + noise_us * exponential(rounds.seed, static_cast<int>(rank), round));
    for (std::size_t rank = 0; rank < reach.size(); ++rank) {
      left[rank] = 0;
      for (const int other : reach[rank]) left[rank] = std::max(left[rank], begun[static_cast<std::size_t>(other)]);
      if (round >= rounds.warmups) spent[rank] += left[rank] - begun[rank];
    }
  }
  Outcome outcome;
  for (const double us : spent) {
    outcome.mean_us += us / rounds.counted / static_cast<double>(spent.size());
    outcome.worst_us = std::max(outcome.worst_us, us / rounds.counted);
  }
  return outcome;
}

TEST(Swaps, each_mode_waits_for_the_ranks_that_an_oracle_lists_and_for_no_others) {
  HaloProblem problem;
  problem.local = {8, 8, 16}, problem.ranks = {7, 9, 1};
  const Pattern pattern = halo_pattern(problem, 2);
  const int everybody = 63;
  const std::vector<std::pair<const char *, int>> steps{
      {"p2p", 1},           {"p2p_waitall", 1},           {"neighbor", 1},         {"pscw", 1},
      {"pscw_late", 2},     {"pscw_software", 1},         {"passive", 1},          {"notify", 1},
      {"fence", everybody}, {"passive_naive", everybody}, {"fence_neighbours", 2}, {"naive_neighbours", 2},
      {"fence_software", 2}};
  for (const auto &[mode, many] : steps) {
    const std::vector<std::vector<int>> reach = reach_of(pattern, std::min(many, 9));
    for (const int ranks_per_node : {1, 9, 63})
      for (const std::uint64_t seed : {1U, 2U}) {
        const Machine machine = free_machine(ranks_per_node);
        const Rounds rounds{1, 4, seed};
        const Outcome simulated = run(swap_job(mode, pattern, machine, {0, 100}), machine, rounds), expected = oracle(reach, 100, rounds);
        EXPECT_NEAR(simulated.mean_us, expected.mean_us, kRounding) << mode << ", " << ranks_per_node << " per node, seed " << seed;
        EXPECT_NEAR(simulated.worst_us, expected.worst_us, kRounding) << mode << ", " << ranks_per_node << " per node, seed " << seed;
      }
  }
}

TEST(Swaps, over_windows_of_the_neighbours_take_the_sum_of_their_parts) {
  const double pack = kPack * kBytes, message = 0.7 + 0.03 * kBytes, put = 0.5 + 0.02 * kBytes, word = 0.7 + 0.2;
  // A word to the rank whose window it is, and one back. By signals a message's work is on both sides, or in its delay.
  EXPECT_NEAR(swap_us("fence_neighbours", 2), pack + put + 0.1 + 2 * (0.7 + 0.7 + 0.2) + pack, kRounding);
  EXPECT_NEAR(swap_us("naive_neighbours", 2), 1.1 + 0.5 + 0.2 + pack + put + 0.1 + 0.5 + 2 * (word + 0.7) + pack, kRounding);
  // The next post and the word that completes the puts are handed over while the rank takes the other's data.
  EXPECT_NEAR(swap_us("pscw_software", 2), pack + message + 2 * 0.7 + message + 0.7 + pack + 0.7, kRounding);
  EXPECT_GT(swap_us("pscw_late", 2), swap_us("pscw", 2));
}

TEST(Swaps, ranks_queue_at_the_lock_of_a_window_of_all_ranks_and_not_at_those_of_their_neighbours) {
  Machine machine = swap_machine(1);
  machine.network.operation_us = 50;
  const auto us = [&](const char *mode) { return run(swap_job(mode, ring_pattern(64, 2, 100), machine, {}), machine, {0, 1, 1}).worst_us; };
  // 63 locks and as many releases pass the port of rank 0.
  EXPECT_GT(us("passive_naive"), 63 * 50);
  EXPECT_LT(us("naive_neighbours"), 20 * 50);
}

TEST(Swaps, an_atomic_operation_waits_for_its_own_result_and_not_for_a_put_before_it) {
  Machine machine = swap_machine(1);
  machine.network.atomic_us = 300;
  Job job(2);
  Writer writer(job, machine, 0);
  writer.script().begin();
  EXPECT_TRUE(writer.put(1, 8));
  writer.atomic(1);
  writer.script().end();
  writer.flush(1);
  EXPECT_GT(run(job, machine, {0, 1, 1}).worst_us, 300);
}

/// The job with the time of one rank alone: from the beginning of its round to where its swap begins, or to where that ends.
Job timed(const Job &job, int rank, Kind until) {
  Job one(job.ranks());
  one.groups = job.groups;
  one.of(rank).begin();
  for (int other = 0; other < job.ranks(); ++other)
    for (const Step &step : job.scripts[static_cast<std::size_t>(other)].steps()) {
      if (step.kind != Kind::begin && step.kind != Kind::end) one.of(other).add(step);
      if (step.kind == until && other == rank) one.of(other).end();
    }
  return one;
}

/// That time in each of so many rounds. All of them are run each time, so that a rank that is ahead can begin later ones.
std::vector<double> times_of(const Job &job, const Machine &machine, int rank, Kind until, int rounds) {
  const Job one = timed(job, rank, until);
  std::vector<double> times(static_cast<std::size_t>(rounds));
  double later = 0;
  for (int round = rounds - 1; round >= 0; --round) {
    const int counted = rounds - round;
    const double all = run(one, machine, {round, counted, 1}).mean_us * job.ranks() * counted;
    times[static_cast<std::size_t>(round)] = all - later;
    later = all;
  }
  return times;
}

/// When a rank begins and leaves the swaps of all rounds.
struct Times {
  std::vector<double> began, left;
};
Times times_of(const Job &job, const Machine &machine, int rank, int rounds) {
  Times times{times_of(job, machine, rank, Kind::begin, rounds), times_of(job, machine, rank, Kind::end, rounds)};
  for (std::size_t round = 1; round < times.left.size(); ++round) {
    times.began[round] += times.left[round - 1];
    times.left[round] += times.left[round - 1];
  }
  return times;
}

constexpr double kLate = 5000;

/// A ring whose rank 2 is late in every round; the others are late by random times.
Job ring_with_a_late_rank(const std::string &mode, const Machine &machine, bool barrier = false) {
  constexpr int kRanks = 12, kNeighbours = 2;
  constexpr double kShort = 100;
  Job job = swap_job(mode, ring_pattern(kRanks, kNeighbours, kShort), machine, {5, 100, barrier});
  Script late;
  late.work(kLate);
  for (const Step &step : job.of(2).steps()) late.add(step);
  job.of(2) = late;
  return job;
}

/// The least time from a neighbour's beginning of a swap, before which it has sent nothing of that, to a rank's end of it.
double least_wait_us(const std::string &mode, int ranks_per_node) {
  constexpr int kRounds = 5;
  const Machine machine = swap_machine(ranks_per_node);
  const Job job = ring_with_a_late_rank(mode, machine);
  std::vector<Times> times;
  for (int rank = 0; rank < job.ranks(); ++rank) times.push_back(times_of(job, machine, rank, kRounds));
  double least = HUGE_VAL;
  for (std::size_t rank = 0; rank < times.size(); ++rank)
    for (const std::size_t peer : {(rank + 1) % times.size(), (rank + times.size() - 1) % times.size()})
      for (std::size_t round = 0; round < kRounds; ++round) least = std::min(least, times[rank].left[round] - times[peer].began[round]);
  return least;
}

TEST(Swaps, no_rank_leaves_a_round_before_its_late_neighbours_have_sent_their_data_of_that_round) {
  for (const std::string &mode : swap_mode_names())
    for (const int ranks_per_node : {1, 4, 12}) {
      const double handover_us = swap_machine(ranks_per_node).node.handover_us;
      EXPECT_GE(least_wait_us(mode, ranks_per_node), handover_us - kRounding) << mode << ", " << ranks_per_node << " per node";
    }
}

TEST(Swaps, a_barrier_before_a_swap_keeps_late_ranks_out_of_its_time) {
  const Machine machine = swap_machine(4);
  for (const std::string &mode : swap_mode_names()) {
    const auto mean_us = [&](bool barrier) { return run(ring_with_a_late_rank(mode, machine, barrier), machine, {1, 3, 1}).mean_us; };
    // Of the mean of 12 ranks: two of them are neighbours of the late one.
    EXPECT_GT(mean_us(false), kLate * 2 / 12) << mode;
    EXPECT_LT(mean_us(true), kLate / 50) << mode;
  }
}

}  // namespace
