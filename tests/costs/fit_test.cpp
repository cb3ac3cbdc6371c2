// Fits to points of known cost functions, with noise and with outliers.
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using bench::CostPoint;
using bench::CostPoints;
using bench::Fit;

CostPoint point_of(double bytes, double ranks, double us, int size) {
  CostPoint point;
  point.which.bytes = bytes;
  point.which.ranks = ranks;
  point.which.ranks_per_core = 1;
  point.us = us;
  point.size = size;
  return point;
}

std::vector<double> powers_of_two(int first, int last) {
  std::vector<double> sizes;
  for (int power = first; power <= last; ++power) sizes.push_back(std::exp2(power));
  return sizes;
}

/// CostPoints of a function of bytes; every `bad`-th takes ten times as long.
template <class Cost>
CostPoints points_of(Cost cost, double noise, int bad) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> disturbed(1, noise);
  CostPoints points;
  for (const double bytes : powers_of_two(3, 22)) {
    const int number = static_cast<int>(points.size());
    const double us = cost(bytes) * (noise > 0 ? disturbed(random) : 1) * (bad > 0 && number % bad == bad - 1 ? 10 : 1);
    points.push_back(point_of(bytes, 2, us, number));
  }
  return points;
}

double coefficient(const Fit &fit, hlc_model_quantity quantity) {
  double sum = 0;
  for (const bench::FittedTerm &one : fit.terms)
    if (one.term.quantity == quantity) sum += one.term.us;
  return sum;
}

/// P_put = 0.16 ns s + 1 us.
double put_cost(double bytes) { return 1 + 0.16e-3 * bytes; }

TEST(Fit, finds_latency_and_bandwidth) {
  const Fit fit = bench::fit_curve(points_of(put_cost, 0, 0), {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_LATENCY), 1, 1e-3);
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_BYTES), 0.16e-3, 1e-7);
  EXPECT_EQ(fit.terms.size(), 2u);
}

TEST(Fit, ignores_points_that_are_far_off) {
  const Fit fit = bench::fit_curve(points_of(put_cost, 0, 6), {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_LATENCY), 1, 0.05);
  for (const double bytes : powers_of_two(3, 22))
    EXPECT_NEAR(fit.predict(point_of(bytes, 2, 0, 0).which) / put_cost(bytes), 1, 0.1) << bytes;
}

TEST(Fit, has_the_truth_in_its_intervals) {
  const Fit fit = bench::fit_curve(points_of(put_cost, 0.03, 0), {});
  ASSERT_EQ(fit.terms.size(), 2u);
  const double truth[] = {1, 0.16e-3};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(fit.terms[i].low_us, truth[i] * 1.02);
    EXPECT_GE(fit.terms[i].high_us, truth[i] * 0.98);
    EXPECT_LT(fit.terms[i].low_us, fit.terms[i].high_us);
  }
}

TEST(Fit, finds_the_switch_to_another_protocol) {
  const auto cost = [](double bytes) { return bytes < 65536 ? 1 + 0.5e-3 * bytes : 40 + 0.5e-3 * bytes; };
  const CostPoints points = points_of(cost, 0.01, 0);
  const Fit fit = bench::fit_curve(points, {});
  EXPECT_LT(bench::errors_of(fit, points).worst, 0.1);
  double at = 0;
  for (const bench::FittedTerm &one : fit.terms)
    if (one.term.quantity == HLC_MODEL_SWITCH) at = one.term.from;
  EXPECT_EQ(at, 65536);
}

TEST(Fit, follows_a_bandwidth_that_changes_beyond_the_cache) {
  const auto cost = [](double bytes) { return 0.1 + 0.05e-3 * std::min(bytes, 262144.0) + 0.2e-3 * std::max(bytes - 262144.0, 0.0); };
  const CostPoints points = points_of(cost, 0, 0);
  EXPECT_LT(bench::errors_of(bench::fit_curve(points, {}), points).worst, 0.05);
}

/// P_fence = 2.9 us log2(p).
TEST(Fit, finds_the_logarithm_of_the_ranks) {
  CostPoints points;
  for (const double ranks : {2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 64.0}) points.push_back(point_of(8, ranks, 2.9 * std::log2(ranks), 0));
  const Fit fit = bench::fit_curve(points, {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_LOG_RANKS), 2.9, 0.05);
  EXPECT_NEAR(fit.predict(point_of(8, 1024, 0, 0).which), 29, 1);
}

/// A reduction in which every rank reads the elements of all others: 1 us + 0.1 ns (p - 1) s.
TEST(Fit, finds_the_bytes_of_all_other_ranks) {
  CostPoints points;
  for (const double ranks : {2.0, 3.0, 4.0, 6.0, 8.0})
    for (const double bytes : powers_of_two(3, 20)) points.push_back(point_of(bytes, ranks, 1 + 0.1e-3 * (ranks - 1) * bytes, 0));
  const Fit fit = bench::fit_curve(points, {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_RANKS_BYTES), 0.1e-3, 1e-6);
  EXPECT_NEAR(fit.predict(point_of(1e6, 64, 0, 0).which), 6301, 63);
}

TEST(Fit, separates_neighbours_blocks_and_bytes) {
  CostPoints points;
  for (const double neighbours : {1.0, 3.0, 5.0, 8.0})
    for (const double blocks : {8.0, 128.0, 2048.0})
      for (const double bytes : {1e3, 3e4, 1e6}) {
        CostPoint point = point_of(bytes, 9, 2 + 0.35 * neighbours + 0.01 * blocks + 0.2e-3 * bytes, static_cast<int>(points.size() % 9));
        point.which.neighbours = neighbours;
        point.which.blocks = blocks;
        points.push_back(point);
      }
  const Fit fit = bench::fit_curve(points, {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_NEIGHBOURS), 0.35, 0.02);
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_BLOCKS), 0.01, 0.001);
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_BYTES), 0.2e-3, 1e-5);
}

TEST(Fit, separates_neighbours_on_other_nodes_from_those_on_this_one) {
  // As of 4 ranks on two nodes: of 2 or 8 directions none, some or all lead to the other node.
  CostPoints points;
  for (const double messages : {2.0, 8.0})
    for (const double part : {0.0, 0.5, 1.0})
      for (const double bytes : {1e3, 3e4, 1e6}) {
        const double far_bytes = part * bytes, far_messages = part * messages;
        CostPoint point = point_of(bytes, 4, 1 + 0.1 * messages + 0.1e-3 * bytes + 3 * far_messages + 0.4e-3 * far_bytes,
                                   static_cast<int>(points.size()));
        point.which.nodes = 2;
        point.which.messages = messages;
        point.which.far_bytes = far_bytes;
        point.which.far_messages = far_messages;
        points.push_back(point);
      }
  const Fit fit = bench::fit_curve(points, {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_BYTES), 0.1e-3, 1e-5);
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_FAR_BYTES), 0.4e-3, 2e-5);
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_FAR_MESSAGES), 3, 0.1);
}

TEST(Fit, separates_what_ranks_do_one_after_the_other_where_they_share_cores) {
  CostPoints points;
  for (const double per_core : {1.0, 1.5, 2.0, 4.0})
    for (const double messages : {2.0, 6.0})
      for (const double local_bytes : {1e3, 3e4, 1e6}) {
        const double more = per_core - 1;
        const double us = 1 + 0.2 * messages + 0.1e-3 * local_bytes + more * (5 + 3 * messages + 0.3e-3 * local_bytes);
        CostPoint point = point_of(4096, 2 * per_core, us, static_cast<int>(points.size()));
        point.which.ranks_per_core = per_core;
        point.which.messages = messages;
        point.which.local_bytes = local_bytes;
        points.push_back(point);
      }
  const Fit fit = bench::fit_curve(points, {});
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_CROWDING_LOCAL_BYTES), 0.3e-3, 2e-5);
  EXPECT_NEAR(coefficient(fit, HLC_MODEL_CROWDING_MESSAGES), 3, 0.2);
}

TEST(Fit, predicts_the_half_that_it_has_not_seen) {
  const auto cost = [](double bytes) { return bytes < 8192 ? 0.5 + 0.3e-3 * bytes : 6 + 0.1e-3 * bytes; };
  const bench::Halves halves = bench::halves_of(points_of(cost, 0.02, 0));
  EXPECT_EQ(halves.fitted.size(), 10u);
  EXPECT_EQ(halves.predicted.size(), 10u);
  const bench::Errors errors = bench::errors_of(bench::fit_curve(halves.fitted, {}), halves.predicted);
  EXPECT_LT(errors.median, 0.1);
  EXPECT_LT(errors.worst, 0.5);
}

/// Three points are too few for latency, bytes and blocks, and sizes that differ by little tell nothing.
TEST(Fit, takes_blocks_where_sizes_hardly_differ) {
  CostPoints points;
  for (const double blocks : {128, 8192, 16000}) {
    points.push_back(point_of(blocks == 16000 ? 64000 : 65536, 2, 2 + 0.015 * blocks, static_cast<int>(points.size())));
    points.back().which.blocks = blocks;
  }
  const Fit fit = bench::fit_curve(points, {});
  CostPoint few = point_of(65536, 2, 0, 0);
  few.which.blocks = 16;
  EXPECT_NEAR(fit.predict(few.which), 2 + 0.015 * 16, 0.01);
}

TEST(Fit, has_a_constant_for_a_single_point) {
  const Fit fit = bench::fit_curve({point_of(8, 2, 0.25, 0)}, {});
  ASSERT_EQ(fit.terms.size(), 1u);
  EXPECT_NEAR(fit.predict(point_of(4096, 8, 0, 0).which), 0.25, 1e-6);
}

TEST(Fit, has_no_term_below_zero) {
  CostPoints points;
  for (const double bytes : powers_of_two(3, 12))
    points.push_back(point_of(bytes, 2, 5 - 1e-3 * bytes * 0.5, static_cast<int>(points.size())));
  for (const bench::FittedTerm &one : bench::fit_curve(points, {}).terms) EXPECT_GE(one.term.us, 0);
}

}  // namespace
