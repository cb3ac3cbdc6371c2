// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/comparison.hpp>
#include <common/json.hpp>
#include <common/table.hpp>

#include <algorithm>
#include <cstdio>

namespace boltzmann {
namespace {

template <class Get>
std::string by(Get get) {
  return std::to_string(get(0)) + " x " + std::to_string(get(1)) + " x " + std::to_string(get(2));
}

/// Microseconds of a step.
template <class Part>
std::string spread_of(const Result &result, Part part) {
  std::vector<double> values;
  for (const Result::Sample &sample : result.samples) values.push_back(part(sample) * 1e6);
  return common::spread(values, 2);
}

std::size_t swaps_of(const Options &o) { return o.order_parameter == "fd" ? 3 : o.is_binary() ? 2 : 1; }

/// "order_parameter_s" and so on.
std::string key_of(std::size_t swap) {
  std::string key = kSwapNames[swap];
  std::replace(key.begin(), key.end(), ' ', '_');
  return key + "_s";
}

common::Json json_of(const Options &o, const Result::Sample &s) {
  common::Json one = {{"total_s", s.total},
                      {"communication_s", s.communication},
                      {"swap_s", s.parts.in_swaps()},
                      {"outer_s", s.parts.outer},
                      {"inner_s", s.parts.inner}};
  for (std::size_t swap = 0; swap < swaps_of(o); ++swap) one[key_of(swap)] = s.parts.swaps[swap];
  return one;
}

}  // namespace

std::string title_of(const Options &o, const Domain &domain) {
  std::string text = o.problem + ", " + by([&](int d) { return domain.global(d); }) + " sites, " +
                     by([&](int d) { return domain.cells().ranks(d); }) + " ranks, viscosity " + common::significant(o.viscosity);
  if (o.is_binary())
    text += ", two fluids (" + o.order_parameter + "): A " + common::significant(o.bulk) + ", kappa " + common::significant(o.kappa) +
            ", mobility " + common::significant(o.mobility);
  return text + ", " + o.halo + " halo\n";
}

std::string line_of(int step, const State &s, bool is_binary) {
  char text[320];
  std::snprintf(text, sizeof text, "step %d: mass %.15g, momentum %.3e %.3e %.3e, kinetic energy %.6e, fastest %.4e", step, s.mass,
                s.momentum[0], s.momentum[1], s.momentum[2], s.kinetic, s.fastest);
  std::string line = text;
  std::snprintf(text, sizeof text, ", order parameter %.15g from %.4f to %.4f", s.order, s.least_phi, s.most_phi);
  if (is_binary) line += text;
  return line + ", fingerprint " + common::hexadecimal(s.fingerprint) + "\n";
}

std::string table_of(const Options &o, const Report &report) {
  std::vector<common::Cells> rows{{"variant", "a step, us", "communication"}};
  for (std::size_t swap = 0; swap < swaps_of(o); ++swap) rows[0].push_back("swap of " + std::string(kSwapNames[swap]));
  rows[0].insert(rows[0].end(), {"outer rows", "inner rows", "KB per step"});
  using Sample = Result::Sample;
  for (const Result &result : report.variants) {
    common::Cells row{result.name, spread_of(result, [](const Sample &s) { return s.total; }),
                      result.name == "local" ? "none" : spread_of(result, [](const Sample &s) { return s.communication; })};
    for (std::size_t swap = 0; swap < swaps_of(o); ++swap)
      row.push_back(spread_of(result, [swap](const Sample &s) { return s.parts.swaps[swap]; }));
    row.push_back(spread_of(result, [](const Sample &s) { return s.parts.outer; }));
    row.push_back(spread_of(result, [](const Sample &s) { return s.parts.inner; }));
    row.push_back(common::number(static_cast<double>(result.bytes_in) / 1e3, 1));
    rows.push_back(row);
  }
  return common::drawn(rows);
}

void write_json(const Options &o, const Domain &domain, const Report &report) {
  using common::Json;
  Json variants = Json::object(), order = Json::array();
  for (const Result &result : report.variants) {
    Json samples = Json::array(), comparisons = Json::array();
    for (const Result::Sample &s : result.samples) samples.push_back(json_of(o, s));
    for (const Comparison &c : result.comparisons)
      comparisons.push_back({{"what", c.what}, {"found", c.found}, {"right", c.right}, {"error", c.error}});
    order.push_back(result.name);
    variants[result.name] = {{"checked", result.checked},         {"fingerprint", common::hexadecimal(result.last.fingerprint)},
                             {"mass", result.last.mass},          {"comparisons", comparisons},
                             {"bytes_per_step", result.bytes_in}, {"samples", samples}};
  }
  const auto three = [](auto get) { return Json{get(0), get(1), get(2)}; };
  const Json described = {{"problem", o.problem},
                          {"global", three([&](int d) { return domain.global(d); })},
                          {"local", three([&](int d) { return domain.n(d); })},
                          {"rank_grid", three([&](int d) { return domain.cells().ranks(d); })},
                          {"walls", o.walls},
                          {"steps", o.steps},
                          {"viscosity", o.viscosity},
                          {"order_parameter", o.order_parameter},
                          {"bulk", o.bulk},
                          {"kappa", o.kappa},
                          {"mobility", o.mobility},
                          {"halo", o.halo},
                          {"overlap", o.overlap},
                          {"skew", o.skew},
                          {"ranks", report.environment.context.size}};
  common::write_file(
      {{"problem", described}, {"environment", common::environment_of(report.environment)}, {"order", order}, {"variants", variants}},
      o.json);
}

}  // namespace boltzmann
