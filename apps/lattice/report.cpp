// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/json.hpp>
#include <common/table.hpp>

namespace lattice {
namespace {

template <class Numbers>
std::string by(const Numbers &numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : " x ") + std::to_string(number);
  return text;
}

std::vector<int> ranks_along(const halocline::Grid &cells) {
  std::vector<int> ranks;
  for (int d = 0; d < kDims; ++d) ranks.push_back(cells.ranks(d));
  return ranks;
}

double per_iteration(const Result &result, double seconds) { return seconds / std::max(result.first.iterations, 1); }

/// Seconds per iteration that a variant takes longer than the last one, without swaps, did in the same round.
std::vector<double> communication_of(const Report &report, const Result &result) {
  const Result &local = report.variants.back();
  std::vector<double> found;
  for (std::size_t i = 0; i < result.samples.size(); ++i)
    found.push_back(per_iteration(result, result.samples[i].total) - per_iteration(local, local.samples[i].total));
  return found;
}

/// Microseconds of an iteration.
std::string spread_of(const Result &result, double Times::*part) {
  std::vector<double> values;
  for (const Times &sample : result.samples) values.push_back(per_iteration(result, sample.*part) * 1e6);
  return common::spread(values, 2);
}

/// Microseconds of an iteration.
std::string communication_in_words(const Report &report, const Result &result) {
  if (&result == &report.variants.back()) return "none";
  std::vector<double> values;
  for (const double time : communication_of(report, result)) values.push_back(time * 1e6);
  return common::spread(values, 2);
}

}  // namespace

std::string title_of(const Problem &problem, const Report &report) {
  const Options &o = problem.options;
  char text[64];
  std::snprintf(text, sizeof text, "plaquette %.12f, link trace %.12f", report.plaquette, report.link_trace);
  return by(problem.geometry.block().global) + " sites, " + by(ranks_along(problem.cells)) + " ranks, " + o.precision +
         " precision, mass " + common::significant(o.mass) + (o.naik ? ", Naik's term" : "") + "; " + text + "\n";
}

std::string table_of(const Report &report) {
  std::vector<common::Cells> rows{{"variant", "iterations", "an iteration, us", "communication", "swaps", "dslash", "dots"}};
  for (const Result &result : report.variants)
    rows.push_back({result.name, std::to_string(result.first.iterations), spread_of(result, &Times::total),
                    communication_in_words(report, result), spread_of(result, &Times::swap), spread_of(result, &Times::dslash),
                    spread_of(result, &Times::dots)});
  return common::drawn(rows);
}

void write_json(const Problem &problem, const Report &report) {
  using common::Json;
  const Options &o = problem.options;
  Json variants = Json::object(), order = Json::array();
  for (const Result &result : report.variants) {
    Json samples = Json::array();
    for (const Times &t : result.samples)
      samples.push_back({{"total_s", t.total}, {"dslash_s", t.dslash}, {"swap_s", t.swap}, {"dots_s", t.dots}});
    order.push_back(result.name);
    variants[result.name] = {{"checked", result.checked},
                             {"iterations", result.first.iterations},
                             {"residual", result.first.residual},
                             {"recomputed_residual", result.recomputed_residual},
                             {"norm", result.norm},
                             {"bytes_per_swap", result.bytes_in},
                             {"communication_s", communication_of(report, result)},
                             {"samples", samples}};
  }
  const Json described = {{"global", problem.geometry.block().global},
                          {"rank_grid", ranks_along(problem.cells)},
                          {"start", o.start},
                          {"read", o.read},
                          {"seed", o.seed},
                          {"mass", o.mass},
                          {"naik", o.naik},
                          {"precision", o.precision},
                          {"residual", o.residual},
                          {"dots", o.dots},
                          {"skew", o.skew},
                          {"plaquette", report.plaquette},
                          {"link_trace", report.link_trace},
                          {"ranks", report.environment.context.size}};
  common::write_file(
      {{"problem", described}, {"environment", common::environment_of(report.environment)}, {"order", order}, {"variants", variants}},
      o.json);
}

}  // namespace lattice
