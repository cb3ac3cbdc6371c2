// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/json.hpp>
#include <common/table.hpp>

namespace fft {
namespace {

/// Seconds per iteration that a variant takes longer than the transforms alone did in the same round.
std::vector<double> communication_of(const Report &report, const Result &result) {
  const std::vector<double> &local = report.variants.back().samples;
  std::vector<double> found;
  for (std::size_t i = 0; i < result.samples.size(); ++i) found.push_back((result.samples[i] - local[i]) / report.problem.iterations);
  return found;
}

std::vector<double> rates_of(const Report &report, const Result &result) {
  std::vector<double> found;
  for (const double sample : result.samples) found.push_back(operations_of(report.problem) / sample * 1e-9);
  return found;
}

common::Cells row_of(const Report &report, const Result &result) {
  std::vector<double> milliseconds;
  for (const double time : communication_of(report, result)) milliseconds.push_back(time * 1e3);
  const bool communicates = &result != &report.variants.back();
  return {result.name, common::spread(result.samples, 4), common::spread(rates_of(report, result), 3),
          communicates ? common::spread(milliseconds, 3) : "none"};
}

common::Json checksums_of(const Report &report) {
  common::Json all = common::Json::array();
  for (const Complex &sum : report.checksums) all.push_back({sum.real(), sum.imag()});
  return all;
}

common::Json problem_of(const Report &report, const Options &options) {
  const Problem &problem = report.problem;
  return {{"class", problem.name},
          {"size", {problem.size.x, problem.size.y, problem.size.z}},
          {"iterations", problem.iterations},
          {"decomposition", options.decomposition},
          {"grid", {report.decomposition.first, report.decomposition.second}},
          {"skew", options.skew},
          {"ranks", report.environment.context.size}};
}

}  // namespace

std::string table_of(const Report &report) {
  if (report.variants.back().samples.empty()) return "";
  std::vector<common::Cells> rows{{"variant", "all iterations, s", "GFlop/s", "communication per iteration, ms"}};
  for (const Result &result : report.variants) rows.push_back(row_of(report, result));
  return common::drawn(rows);
}

void write_json(const Report &report, const Options &options) {
  using common::Json;
  Json variants = Json::object(), order = Json::array();
  for (const Result &result : report.variants) {
    order.push_back(result.name);
    variants[result.name] = {
        {"checked", result.checked}, {"total_s", result.samples}, {"communication_s", communication_of(report, result)}};
  }
  common::write_file({{"problem", problem_of(report, options)},
                      {"environment", common::environment_of(report.environment)},
                      {"operations", operations_of(report.problem)},
                      {"checksums", checksums_of(report)},
                      {"order", order},
                      {"variants", variants}},
                     options.json);
}

}  // namespace fft
