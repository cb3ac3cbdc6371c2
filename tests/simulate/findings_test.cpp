// What the papers found, by simulation; and that each statement fails if what it rests on is taken out of a protocol.
// SPDX-License-Identifier: BSD-3-Clause
#include "card.hpp"

#include <findings.hpp>
#include <spread.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

namespace {

using namespace simulate;

TEST(Figure, has_lines_of_100_columns_at_most_and_all_its_series) {
  Figure figure{"weak", "Weak scaling of a swap of which the title is long enough for two lines of a page", "ranks", "ms per swap",
                "some paper"};
  for (int i = 0; i < 12; ++i) figure.series.push_back({"series number " + std::to_string(i), Origin::simulated, {{2, 1.0 + i}, {4, 2}}});
  figure.findings.push_back(
      {"a statement that has many words, so that it does not fit beside the numbers that decide it", true, "1.04 times at 2,048 ranks"});
  const std::string text = table_of(figure);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  for (int i = 0; i < 12; ++i) EXPECT_NE(text.find("series number " + std::to_string(i)), std::string::npos) << text;
  EXPECT_NE(text.find("\n  holds: a statement"), std::string::npos) << text;
}

const std::vector<int> kRanks{128, 512, 2048};

/// The contenders of Brown et al.
std::vector<Contender> contenders() {
  std::vector<Contender> all;
  for (const char *mode :
       {"p2p_waitall", "fence", "pscw", "passive", "passive_naive", "fence_neighbours", "naive_neighbours", "pscw_late", "pscw_software"})
    all.push_back(contender_of(mode));
  return all;
}

/// A protocol in the place of a mode.
struct Instead {
  std::string mode;
  SwapProtocol write;

  Contender contender() const {
    return {mode, [write = write](const Pattern &pattern, const Machine &machine, const Between &before) {
              return swap_job(write, pattern, machine, before);
            }};
  }
};

/// The figure with the simulated points of one series in the place of another's.
Figure with_points_of(Figure figure, const std::string &name, const std::string &of) {
  const std::vector<Point> points = figure.simulated(of).points;
  for (Series &series : figure.series)
    if (series.name == name && series.origin == Origin::simulated) series.points = points;
  return figure;
}

/// The figure with the points of one mode replaced.
Figure replaced(Figure figure, const Figure &by) {
  for (Series &series : figure.series)
    if (series.name == by.series[0].name) series = by.series[0];
  return figure;
}

const Figure &weak() {
  static const Figure figure = weak_figure(small_settings(kRanks.back()), contenders(), kRanks);
  return figure;
}
Figure weak(const Instead &instead) { return replaced(weak(), weak_figure(small_settings(kRanks.back()), {instead.contender()}, kRanks)); }

/// Puts, their flush and a time that does not depend on the ranks: no rank waits for another.
void fence_of_constant_cost(Writer &w, const std::vector<Link> &links) {
  for (const Link &link : links) w.copy(2 * link.bytes);
  w.script().work(3000);
}

/// The adopted protocol in the place of the naive one.
void same_as_passive(Writer &w, const std::vector<Link> &links) {
  for (const SwapMode &mode : swap_modes())
    if (mode.name == "passive") mode.write(w, links);
}

/// Messages that cost nothing but their unpacking.
void free_messages(Writer &w, const std::vector<Link> &links) {
  for (const Link &link : links) w.copy(link.bytes);
}

void expect(const Finding &finding) { EXPECT_TRUE(finding.holds) << finding.statement << ": " << finding.because; }
void expect_not(const Finding &finding) { EXPECT_FALSE(finding.holds) << finding.statement << ": " << finding.because; }

constexpr Windows kAll = Windows::all_ranks, kNeighbours = Windows::neighbours;

/// The same without the random delays of ranks.
const Figure &weak_without_delays() {
  static const Figure figure = [] {
    Settings settings = small_settings(kRanks.back());
    settings.noise = 0;
    return weak_figure(settings, contenders(), {kRanks.front(), kRanks.back()});
  }();
  return figure;
}

// Windows over all ranks, as the library has them. These findings hang on the delays: docs/simulation.md.
TEST(Findings, fence_over_all_ranks_falls_behind_at_scale) { expect(fence_falls_behind(weak(), kAll)); }
TEST(Findings, fence_over_all_ranks_does_not_fall_behind_without_delays) { expect_not(fence_falls_behind(weak_without_delays(), kAll)); }
TEST(Findings, a_fence_of_constant_cost_does_not_fall_behind) {
  expect_not(fence_falls_behind(weak({"fence", fence_of_constant_cost}), kAll));
}
TEST(Findings, adopted_passive_beats_naive_over_all_ranks) { expect(adopted_passive_beats_naive(weak(), kAll)); }
TEST(Findings, what_is_the_same_beats_nothing) { expect_not(adopted_passive_beats_naive(weak({"passive_naive", same_as_passive}), kAll)); }
TEST(Findings, naive_over_all_ranks_loses_to_messages) { expect(naive_loses_to_messages(weak(), kAll)); }
TEST(Findings, what_is_the_same_as_the_adopted_mode_does_not_lose) {
  expect_not(naive_loses_to_messages(weak({"passive_naive", same_as_passive}), kAll));
}

// Windows over the neighbours, as Brown et al. have them. Not reproduced: docs/simulation.md.
TEST(Findings, fence_over_the_neighbours_does_not_fall_behind) { expect_not(fence_falls_behind(weak(), kNeighbours)); }
TEST(Findings, adopted_passive_does_not_gain_with_the_ranks_over_the_neighbours) {
  expect_not(adopted_passive_beats_naive(weak(), kNeighbours));
}
/// A fence, and a naive mode, over the neighbours that wait for all ranks.
void over_all(Writer &w, const std::vector<Link> &links) {
  same_as_passive(w, links);
  w.barrier();
}
TEST(Findings, fence_over_the_neighbours_that_waits_for_all_falls_behind) {
  expect(fence_falls_behind(weak({"fence_neighbours", over_all}), kNeighbours));
}
TEST(Findings, naive_over_the_neighbours_that_waits_for_all_is_beaten) {
  expect(adopted_passive_beats_naive(weak({"naive_neighbours", over_all}), kNeighbours));
}
TEST(Findings, a_fence_of_constant_cost_is_not_competitive) {
  expect_not(fence_is_competitive_on_few_ranks(
      weak({"fence_neighbours", [](Writer &w, const std::vector<Link> &) { w.script().work(1e6); }}), kNeighbours));
}

TEST(Findings, rma_without_the_hardware_path_does_not_beat_messages) {
  expect(software_rma_does_not_beat_messages(weak_without_delays()));
  expect(hardware_path_pays(weak_without_delays()));
}
TEST(Findings, rma_without_the_hardware_path_that_is_passive_beats_messages) {
  expect_not(software_rma_does_not_beat_messages(weak({"pscw_software", same_as_passive})));
}
TEST(Findings, hardware_that_is_slower_does_not_pay) {
  expect_not(hardware_path_pays(weak({"pscw", [](Writer &w, const std::vector<Link> &) { w.script().work(1e6); }})));
}
TEST(Findings, early_epochs_that_wait_for_all_do_not_pay) { expect_not(early_epochs_pay(weak({"pscw", over_all}))); }

TEST(Findings, passive_beats_messages_in_weak_scaling) { expect(passive_beats_messages(weak())); }
TEST(Findings, passive_does_not_beat_messages_that_are_free) { expect_not(passive_beats_messages(weak({"p2p_waitall", free_messages}))); }

// Not reproduced: docs/simulation.md.
TEST(Findings, pscw_is_not_faster_than_messages_in_weak_scaling) { expect_not(pscw_beats_messages(weak())); }
TEST(Findings, pscw_is_faster_than_messages_that_cost_more) {
  const auto slow = [](Writer &w, const std::vector<Link> &links) {
    same_as_passive(w, links);
    w.script().work(1e6);
  };
  expect(pscw_beats_messages(weak({"p2p_waitall", slow})));
}

TEST(Findings, pscw_is_near_passive) { expect(pscw_is_near_passive(weak(), kAll)); }
TEST(Findings, pscw_with_a_barrier_is_not_near_passive) {
  const auto with_a_barrier = [](Writer &w, const std::vector<Link> &links) {
    same_as_passive(w, links);
    w.barrier();
    w.barrier(kBarrierBefore);
  };
  expect_not(pscw_is_near_passive(weak({"pscw", with_a_barrier}), kAll));
}

const Figure &messages() {
  static const Figure figure = message_figure(small_settings(512), contenders(), 512);
  return figure;
}
TEST(Findings, messages_overtake_rma_as_they_become_short) { expect(messages_overtake(messages())); }
/// RMA without synchronisation: no cost of its own is left when messages are short.
void puts_alone(Writer &w, const std::vector<Link> &links) {
  for (const Link &link : links) w.copy(2 * link.bytes);
}
TEST(Findings, messages_do_not_overtake_rma_that_needs_no_synchronisation) {
  const Figure faulty = message_figure(small_settings(512), {Instead{"passive", puts_alone}.contender()}, 512);
  expect_not(messages_overtake(replaced(messages(), faulty)));
}

std::vector<Contender> messages_and_rma() { return {contender_of("p2p_waitall"), contender_of("pscw"), contender_of("passive")}; }

/// A sixteenth of the ranks and cells of the experiment, so that blocks are as large as there.
const std::vector<int> kStrongRanks{512, 2048};
Figure strong(const std::vector<Contender> &some) { return strong_figure(small_settings(2048), some, kStrongRanks, {"", 512, 128, 1}); }
const Figure &strong() {
  static const Figure figure = strong(messages_and_rma());
  return figure;
}
/// The same with shorter messages.
Figure strong_small(const std::vector<Contender> &some) { return strong_figure(small_settings(2048), some, {128, 2048}, {"", 512, 32, 1}); }
const Figure &strong_small() {
  static const Figure figure = strong_small(messages_and_rma());
  return figure;
}

/// Messages whose costs that do not depend on their length are larger than those of RMA.
void messages_of_more_fixed_cost(Writer &w, const std::vector<Link> &links) {
  same_as_passive(w, links);
  w.script().work(100);
}
TEST(Findings, messages_catch_up_in_strong_scaling) { expect(messages_catch_up(strong())); }
TEST(Findings, messages_of_more_fixed_cost_do_not_catch_up) {
  const Instead instead{"p2p_waitall", messages_of_more_fixed_cost};
  expect_not(messages_catch_up(replaced(strong(), strong({instead.contender()}))));
}

// Not reproduced: docs/simulation.md.
TEST(Findings, messages_do_not_overtake_rma_in_strong_scaling_of_the_paper) { expect_not(messages_overtake_in_strong_scaling(strong())); }
TEST(Findings, messages_overtake_rma_in_strong_scaling_of_a_small_domain) { expect(messages_overtake_in_strong_scaling(strong_small())); }
TEST(Findings, messages_do_not_overtake_rma_without_synchronisation_in_strong_scaling) {
  const Figure faulty = strong_small({Instead{"passive", puts_alone}.contender()});
  expect_not(messages_overtake_in_strong_scaling(replaced(strong_small(), faulty)));
}

/// All findings of an experiment, but one that is listed as not reproduced.
void expect_all(const std::vector<Figure> &figures, const std::string &not_reproduced = "") {
  for (const Figure &figure : figures) {
    EXPECT_FALSE(figure.findings.empty()) << figure.name;
    for (const Finding &finding : figure.findings) finding.statement == not_reproduced ? expect_not(finding) : expect(finding);
  }
}
TEST(Findings, of_synchronisation_hold) { expect_all(synchronisation(small_settings(1024))); }
TEST(Findings, of_atomic_operations_hold) { expect_all(atomic_operations(small_settings(128))); }
TEST(Findings, of_motifs_hold_but_for_messages_to_the_hashtable) {
  expect_all(motifs(small_settings(1024)), "inserts by atomic operations are faster than by messages at all counts");
}

/// Synchronisation of a ring, by any protocol in the place of a mode.
Figure ring(const std::string &mode, const SwapProtocol &protocol) {
  Figure figure{mode, "", "ranks", "us", "", {{mode, Origin::simulated, {}}}};
  const Machine machine = small_settings(1024).machine("bluewaters");
  for (const int ranks : {64, 256, 1024}) {
    const Job job = swap_job(protocol, ring_pattern(ranks, 2, 0), machine, {});
    figure.series[0].points.push_back({1.0 * ranks, run(job, machine, {1, 2, 1}).mean_us});
  }
  return figure;
}
TEST(Findings, pscw_that_waits_for_all_depends_on_the_ranks) {
  expect_not(pscw_does_not_depend_on_ranks(ring("pscw", [](Writer &w, const std::vector<Link> &) { w.barrier(); })));
}

/// All ranks send to the first one, which answers each of them.
void central_barrier(Writer &w, const std::vector<Link> &) {
  if (w.rank() != 0) {
    w.signal(0, kPosted);
    return w.script().wait(kCompleted, 1);
  }
  w.script().wait(kPosted, w.ranks() - 1);
  for (int rank = 1; rank < w.ranks(); ++rank) w.signal(rank, kCompleted);
}
TEST(Findings, a_fence_by_one_rank_for_all_does_not_grow_with_log_ranks) {
  expect_not(fence_grows_with_log_ranks(ring("fence", central_barrier)));
}
TEST(Findings, a_fence_that_waits_for_its_neighbours_alone_does_not_grow) {
  expect_not(fence_grows_with_log_ranks(ring("fence", [](Writer &w, const std::vector<Link> &links) {
    for (const Link &link : links) w.signal(link.peer, kPosted);
    w.script().wait(kPosted, static_cast<int>(links.size()));
  })));
}

/// Each neighbour gets a word about each of the others.
TEST(Findings, pscw_that_tells_neighbours_of_each_other_costs_more_for_each) {
  Figure figure{"pscw", "", "neighbours", "us", "", {{"pscw", Origin::simulated, {}}}};
  Machine machine = small_settings(128).machine("bluewaters");
  machine.network.ranks_per_node = 1;
  for (const int k : {2, 4, 8, 16}) {
    const auto all_of_all = [k](Writer &w, const std::vector<Link> &links) {
      for (const Link &link : links)
        for (int other = 0; other < k; ++other) w.signal(link.peer, kPosted);
      w.script().wait(kPosted, k * k);
    };
    figure.series[0].points.push_back(
        {1.0 * k, run(swap_job(all_of_all, ring_pattern(64, k, 0), machine, {}), machine, {1, 2, 1}).mean_us});
  }
  expect_not(pscw_costs_the_same_per_neighbour(figure));
}

TEST(Findings, an_operation_of_the_network_for_all_elements_is_not_overtaken_by_a_lock) {
  const Figure figure = atomic_operations(small_settings(128)).front();
  expect_not(lock_overtakes_network(with_points_of(figure, "sum by the network", "sum by the target's processor")));
}
TEST(Findings, what_takes_no_lock_is_faster_for_few_elements_too) {
  const Figure figure = atomic_operations(small_settings(128)).front();
  expect_not(lock_overtakes_network(with_points_of(figure, "get and put under a lock", "sum by the target's processor")));
}

/// All keys are in the part of rank 0, whose port all inserts share.
TEST(Findings, inserts_at_one_rank_do_not_scale) {
  Figure figure{"hashtable", "", "ranks", "inserts per us", "", {{"atomics", Origin::simulated, {}}}};
  const Machine machine = small_settings(1024).machine("bluewaters");
  constexpr int kInserts = 64;
  for (const int ranks : {64, 1024}) {
    const auto inserts = [](Writer &w, const std::vector<Link> &) {
      for (int i = 0; i < kInserts; ++i) w.atomic(0);
    };
    const Job job = swap_job(inserts, ring_pattern(ranks, 2, 0), machine, {});
    figure.series[0].points.push_back({1.0 * ranks, kInserts * ranks / run(job, machine, {0, 1, 1}).round_us});
  }
  expect_not(inserts_scale(figure));
}

TEST(Findings, inserts_by_slower_messages_are_beaten) {
  expect(atomics_beat_messages(
      {"hashtable", "", "ranks", "", "", {{"atomics", Origin::simulated, {{64, 2}}}, {"messages", Origin::simulated, {{64, 1}}}}}));
}

/// Nodes of one rank, where a put and a message cost the same but for their overlap.
Figure fft_between_nodes(int parts_of_puts) {
  Settings settings = small_settings(256);
  settings.ranks_per_node = 1;
  return fft_figure(settings, {{"messages", 1, false}, {"puts, overlapped", parts_of_puts, true}}, {64, 256});
}
TEST(Findings, puts_that_overlap_pay_between_nodes) { expect(overlap_pays(fft_between_nodes(4))); }
TEST(Findings, puts_that_do_not_overlap_do_not_pay) { expect_not(overlap_pays(fft_between_nodes(1))); }

TEST(Findings, an_alltoall_that_sends_no_counts_is_not_beaten) {
  expect_not(nbx_beats_alltoall(with_points_of(motifs(small_settings(512))[1], "alltoall", "nbx")));
}

const Figure &ghost() {
  static const Figure figure = ghost_sweep(small_settings(512)).front();
  return figure;
}
TEST(Findings, of_the_ghost_sweep_are_those_that_the_documents_list) {
  const Figure &figure = ghost();
  expect(notified_beats_messages(figure));
  expect(large_blocks_are_alike(figure));
  expect(shared_one_copy_is_as_flat(figure));
  // Not reproduced: docs/simulation.md.
  expect_not(notified_beats_flat(figure));
  expect_not(one_copies_are_alike_at_the_peak(figure));
  for (const char *variant : {"mpi_0copy", "notified_0copy"}) expect_not(zero_copy_is_twice_as_fast(figure, variant));
}

/// The figure with the points of one variant so many times those of flat MPI.
Figure with_speed(const Figure &figure, const std::string &name, double times) {
  Figure changed = with_points_of(figure, name, "mpi_only");
  for (Series &series : changed.series)
    if (series.name == name)
      for (Point &point : series.points) point.y *= times;
  return changed;
}
TEST(Findings, of_the_ghost_sweep_fail_where_the_speeds_say_otherwise) {
  expect(notified_beats_flat(with_speed(ghost(), "notified_1copy", 1.1)));
  expect(zero_copy_is_twice_as_fast(with_speed(ghost(), "mpi_0copy", 2), "mpi_0copy"));
  expect(shared_one_copy_is_as_flat(with_speed(ghost(), "mpi_shared_1copy", 1)));
  expect_not(shared_one_copy_is_as_flat(with_speed(ghost(), "mpi_shared_1copy", 1.2)));
  Figure alike = ghost();
  for (const char *name : {"mpi_shared_1copy", "mpi_shared_1copy_blocking", "notified_1copy", "notified_1copy_nobarrier"})
    alike = with_speed(alike, name, 1);
  expect(one_copies_are_alike_at_the_peak(alike));
  expect_not(one_copies_are_alike_at_the_peak(with_speed(alike, "notified_1copy", 1.3)));
}

/// Long messages ask first: where a latency is all, they take three and short ones one.
TEST(Findings, notified_writes_gain_nothing_for_small_blocks_where_the_latency_is_all) {
  Settings settings = small_settings(512);
  settings.latency_us = 1e4, settings.noise = 0;
  const Figure figure = ghost_sweep(settings).front();
  expect_not(notified_beats_messages(figure));
  expect_not(large_blocks_are_alike(figure));
}

TEST(Findings, a_longer_latency_makes_fences_slower) {
  Settings settings = small_settings(128);
  const double usual = synchronisation(settings).front().simulated("fence").at(128);
  settings.latency_us = 50;
  EXPECT_GT(synchronisation(settings).front().simulated("fence").at(128), 2 * usual);
}

TEST(Findings, of_strong_scaling_have_two_numbers_of_ranks_each) {
  for (const Figure &figure : strong_scaling(small_settings(32))) {
    EXPECT_FALSE(figure.findings.empty()) << figure.name;
    for (const Series &series : figure.series) EXPECT_GE(series.points.size(), 2U) << figure.name << ", " << series.name;
  }
}

TEST(Findings, of_strong_scaling_have_all_numbers_of_ranks_of_the_paper) {
  const Figure figure = strong_scaling(small_settings(64)).front();
  std::vector<double> ranks;
  for (const Point &point : figure.simulated("pscw").points) ranks.push_back(point.x);
  EXPECT_EQ(ranks, (std::vector<double>{16, 32, 64}));
}

TEST(Findings, of_infiniband_are_lost_by_messages_that_cost_more) {
  const Settings settings = small_settings(64);
  for (const Figure &figure : infiniband(settings)) {
    ASSERT_EQ(figure.findings.size(), 1U) << figure.name;
    expect_not(software_rma_loses_on_infiniband(with_points_of(figure, "pscw_software", "notify")));
  }
}

TEST(Findings, a_fence_overtakes_pscw_only_if_pscw_costs_more_for_more_neighbours) {
  const Figure figure = synchronisation(small_settings(1024)).back();
  expect(fence_overtakes_pscw(figure));
  expect_not(fence_overtakes_pscw(with_points_of(figure, "pscw", "fence")));
}

TEST(Findings, that_are_near_published_functions_are_not_near_others) {
  const Figure figure = atomic_operations(small_settings(128)).front();
  expect_not(is_near_published(with_points_of(figure, "get and put under a lock", "sum by the target's processor"),
                               "get and put under a lock", 1.3));
  EXPECT_THROW(is_near_published(figure, "sum by the target's processor", 1.3), Refusal);
}

const Spread &spread_named(const std::vector<Spread> &all, const std::string &statement) {
  for (const Spread &one : all)
    if (one.statement.find(statement) != std::string::npos) return one;
  throw Refusal("no spread of " + statement);
}

TEST(Spread, says_which_findings_hang_on_the_delays) {
  const Experiment experiment{"weak", "", [](const Settings &settings) {
                                std::vector<Contender> compared;
                                for (const char *mode : {"p2p_waitall", "fence", "fence_neighbours", "pscw", "passive"})
                                  compared.push_back(contender_of(mode));
                                Figure figure = weak_figure(settings, compared, {128, 512});
                                figure.findings = {fence_falls_behind(figure, kAll), fence_falls_behind(figure, kNeighbours),
                                                   passive_beats_messages(figure)};
                                return std::vector<Figure>{figure};
                              }};
  Settings settings = small_settings(512);
  settings.fields = 4;
  const std::vector<Spread> all = spread_of(experiment, settings, 2);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(spread_named(all, "windows over all ranks").hangs_on_noise()) << table_of(all);
  EXPECT_FALSE(spread_named(all, "windows over the neighbours").hangs_on_noise()) << table_of(all);
  for (const Spread &one : all) {
    ASSERT_EQ(one.under.size(), 5U);
    // Without delays a seed changes nothing.
    EXPECT_DOUBLE_EQ(one.under[0].least, one.under[0].most) << one.statement;
    EXPECT_LT(one.under[4].least, one.under[4].most) << one.statement;
    for (const Under &under : one.under) EXPECT_EQ(under.seeds, 2) << one.statement;
  }
  EXPECT_EQ(json_of(all).size(), 3U);
}

TEST(Findings, functions_predict_ranks_that_they_were_not_fitted_to) {
  Figure figure{"", "", "", "", "", {{"fence", Origin::simulated, {}}}};
  for (const int nodes : {1, 2, 4, 8, 16}) figure.series[0].points.push_back({32.0 * nodes, 5 + 3 * std::log2(nodes)});
  add_modelled(figure, {32.0 * 1024}, 32);
  ASSERT_EQ(figure.series.size(), 2U);
  EXPECT_EQ(figure.series[1].origin, Origin::modelled);
  EXPECT_NEAR(figure.series[1].points.back().y, 5 + 3 * 10, 0.1);
}

}  // namespace
