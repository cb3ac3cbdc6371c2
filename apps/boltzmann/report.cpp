// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/comparison.hpp>
#include <common/json.hpp>
#include <common/table.hpp>

#include <cstdio>

namespace boltzmann {
namespace {

template <class Get>
std::string by(Get get) {
  return std::to_string(get(0)) + " x " + std::to_string(get(1)) + " x " + std::to_string(get(2));
}

/// Microseconds of a step.
std::string spread_of(const Result &result, double Result::Sample::*part) {
  std::vector<double> values;
  for (const Result::Sample &sample : result.samples) values.push_back(sample.*part * 1e6);
  return common::spread(values, 2);
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

std::string table_of(const Report &report) {
  std::vector<common::Cells> rows{{"variant", "a step, us", "communication", "swaps", "outer rows", "inner rows", "KB per step"}};
  for (const Result &result : report.variants)
    rows.push_back({result.name, spread_of(result, &Result::Sample::total),
                    result.name == "local" ? "none" : spread_of(result, &Result::Sample::communication),
                    spread_of(result, &Result::Sample::swap), spread_of(result, &Result::Sample::outer),
                    spread_of(result, &Result::Sample::inner), common::number(static_cast<double>(result.bytes_in) / 1e3, 1)});
  return common::drawn(rows);
}

void write_json(const Options &o, const Domain &domain, const Report &report) {
  using common::Json;
  Json variants = Json::object(), order = Json::array();
  for (const Result &result : report.variants) {
    Json samples = Json::array(), comparisons = Json::array();
    for (const Result::Sample &s : result.samples)
      samples.push_back(
          {{"total_s", s.total}, {"communication_s", s.communication}, {"swap_s", s.swap}, {"outer_s", s.outer}, {"inner_s", s.inner}});
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
