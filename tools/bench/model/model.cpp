// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/model.hpp"

#include "bench/frame/refusal.hpp"
#include "bench/frame/team.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace bench {

namespace {

CostPoint point_of(const ResultRow &row) {
  CostPoint point;
  point.which.nodes = row.nodes;
  point.which.bytes = static_cast<double>(row.bytes);
  point.which.local_bytes = row.local_bytes;
  point.which.ranks = row.ranks;
  point.which.ranks_per_core = row.ranks_per_core;
  point.which.neighbours = row.neighbours;
  point.which.blocks = row.blocks;
  point.which.messages = row.messages;
  point.which.far_bytes = row.far_bytes;
  point.which.far_messages = row.far_messages;
  point.us = median(row.samples);
  return point;
}

/// What stays the same when the number of ranks changes: of a halo all bytes that it fills, and their runs.
std::pair<double, double> key_of(const CostPoint &point) { return {point.which.bytes + point.which.local_bytes, point.which.blocks}; }

void number_sizes(CostPoints &points) {
  std::set<std::pair<double, double>> sizes;
  for (const CostPoint &point : points) sizes.insert(key_of(point));
  for (CostPoint &point : points) point.size = static_cast<int>(std::distance(sizes.begin(), sizes.find(key_of(point))));
}

/// With fewer points in the fitted half a curve is not checked.
constexpr std::size_t kLeastFitted = 3;

/// |predicted - measured| / measured of the half that was not fitted; none where there are too few points.
std::vector<double> errors_of_half(const CostPoints &points, std::uint64_t seed) {
  const Halves halves = halves_of(points);
  if (halves.fitted.size() < kLeastFitted || halves.predicted.empty()) return {};
  const Fit half = fit_curve(halves.fitted, {0, seed});
  std::vector<double> errors;
  for (const CostPoint &point : halves.predicted) errors.push_back(half.predict(point.which) / point.us - 1);
  return errors;
}

/// The report is printed in any case: its measurements took longer than all else.
void keep_card(ModelReport &report, const ModelOptions &options) {
  try {
    report.card = write_card(report, options);
  } catch (const std::exception &error) {
    report.no_card = std::string("no machine card: ") + error.what();
  }
}

}  // namespace

std::vector<ModelCurve> curves_of(const Results &results) {
  std::vector<ModelCurve> curves;
  std::map<std::tuple<std::string, std::string, int>, std::size_t> places;
  for (const ResultRow &any : results.rows) {
    const ResultRow row = completed(any, results.environment);
    if (row.unit != "us" || median(row.samples) <= 0) continue;
    const int nodes = row.nodes > 1 ? 2 : 1;
    const auto [place, is_new] = places.try_emplace({row.operation, row.by, nodes}, curves.size());
    if (is_new) curves.push_back({row.operation, row.by, nodes});
    curves[place->second].points.push_back(point_of(row));
  }
  for (ModelCurve &curve : curves) number_sizes(curve.points);
  return curves;
}

void fit(ModelCurve &curve, std::uint64_t seed) {
  curve.fit = fit_curve(curve.points, {200, seed});
  curve.residuals = errors_of(curve.fit.residuals);
}

Errors check_halves(std::vector<ModelCurve> &curves, std::uint64_t seed) {
  std::vector<double> all;
  for (ModelCurve &curve : curves) {
    const std::vector<double> errors = errors_of_half(curve.points, seed);
    if (!errors.empty()) curve.predicted = errors_of(errors);
    all.insert(all.end(), errors.begin(), errors.end());
  }
  return errors_of(all);
}

std::optional<ModelReport> run_model(MPI_Comm all, const ModelOptions &options, int argc, char **argv) {
  const std::string no_card = broadcast(rank_of(all) == 0 ? why_no_card(options) : "", 0, all);
  if (!no_card.empty()) throw Refusal(no_card);
  const double begin = MPI_Wtime();
  Measured measured = measure_model(all, options, argc, argv);
  const double fitting = MPI_Wtime();
  std::optional<ModelReport> report;
  with_team(all, 1, [&](MPI_Comm) {
    report.emplace(ModelReport{std::move(measured.results), {}, {}, measured.left_out, fitting - begin, 0, measured.passes});
    report->curves = curves_of(report->results);
    for (ModelCurve &curve : report->curves) fit(curve, options.seed);
    report->predicted = check_halves(report->curves, options.seed);
    report->fitting_s = MPI_Wtime() - fitting;
    keep_card(*report, options);
    return 0;
  });
  return report;
}

}  // namespace bench
