// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/comparison.hpp>
#include <common/json.hpp>
#include <common/statistics.hpp>
#include <common/table.hpp>

namespace ghost {
namespace {

using common::Json, common::drawn, common::median, common::number, common::spread;

/// One number of each sample, turned into a rate by what was done in that time.
std::vector<double> rates(const Result &result, double Sample::*part, double work) {
  std::vector<double> found;
  for (const Sample &sample : result.samples) found.push_back(sample.*part > 0 ? work / (sample.*part) : 0);
  return found;
}

/// Cells times variables times steps of a rank, on average, in millions.
double mega_elements(const Grid &grid, const Options &options) {
  return static_cast<double>(volume(grid.global)) / grid.info.size * options.variables * options.steps / 1e6;
}

/// 6 N^2 x 8 bytes for each exchange, N^3 being the cells of this block, in millions: figure 14 takes it for all variants.
double mega_bytes(const Grid &grid, const Options &options) {
  const Index &n = grid.cells;
  return 2.0 * static_cast<double>(n[0] * n[1] + n[1] * n[2] + n[0] * n[2]) * 8 * options.variables * options.steps / 1e6;
}

std::vector<double> column(const std::vector<Limits> &limits, double Limits::*part) {
  std::vector<double> values;
  for (const Limits &limit : limits) values.push_back(limit.*part);
  return values;
}

Json samples(const Result &result) {
  Json list = Json::array();
  for (const Sample &s : result.samples)
    list.push_back({{"total_s", s.total}, {"computation_s", s.computation}, {"communication_s", s.communication}});
  return list;
}

}  // namespace

std::string table_of(const Report &report, const Grid &grid, const Options &options) {
  if (options.repeats == 0) return "";
  const double elements = mega_elements(grid, options), bytes = mega_bytes(grid, options);
  std::vector<common::Cells> rows{{"variant", "all, Melements/s", "computation, Melements/s", "exchanges, MB/s"}};
  for (const Result &result : report.variants)
    rows.push_back({result.name, spread(rates(result, &Sample::total, elements), 2),
                    spread(rates(result, &Sample::computation, elements), 2), spread(rates(result, &Sample::communication, bytes), 2)});
  const double faces = median(column(report.limits, &Limits::faces_s)), turn = median(column(report.limits, &Limits::handover_s));
  const double once = static_cast<double>(options.variables) * options.steps;
  rows.push_back({"(a plain copy)", "", number(elements / once / median(column(report.limits, &Limits::cells_s)), 2),
                  number(bytes / once / (faces + turn), 2)});
  return drawn(rows) +
         "The last line: all cells copied once; the bytes of all faces copied out of a neighbour's memory, and one cache line handed over "
         "(" +
         number(turn * 1e6, 2, " us") + ").\n";
}

void write_json(const Report &report, const Grid &grid, const Options &options) {
  Json variants = Json::object(), order = Json::array(), limits = Json::array();
  for (const Result &result : report.variants) {
    order.push_back(result.name);
    variants[result.name] = {{"fingerprint", common::hexadecimal(result.fingerprint)}, {"samples", samples(result)}};
  }
  for (const Limits &limit : report.limits)
    limits.push_back({{"cells_s", limit.cells_s}, {"faces_s", limit.faces_s}, {"handover_s", limit.handover_s}});
  const Json problem = {{"global", grid.global},          {"local", grid.cells},        {"ranks", grid.ranks},
                        {"variables", options.variables}, {"stencil", options.stencil}, {"periodic", options.periodic},
                        {"steps", options.steps},         {"skew", options.skew}};
  common::write_file({{"problem", problem},
                      {"environment", common::environment_of(report.environment)},
                      {"order", order},
                      {"variants", variants},
                      {"limits", limits}},
                     options.json);
}

}  // namespace ghost
