// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/json.hpp>
#include <common/table.hpp>

namespace sparse {

std::string table_of(const Report &report, const Options &options) {
  if (options.repeats == 0) return "";
  std::vector<common::Cells> rows{{"protocol", "one exchange, us"}};
  for (const Result &result : report.protocols) {
    std::vector<double> times;
    for (const double sample : result.samples) times.push_back(sample * 1e6);
    rows.push_back({result.name, common::spread(times, 2)});
  }
  return common::drawn(rows);
}

void write_json(const Report &report, const Options &options) {
  using common::Json;
  Json protocols = Json::object(), order = Json::array();
  for (const Result &result : report.protocols) {
    order.push_back(result.name);
    protocols[result.name] = {{"checked", result.checked}, {"exchange_s", result.samples}};
  }
  const Json problem = {
      {"neighbours", options.neighbours},        {"targets", report.targets}, {"bytes", options.bytes}, {"vary", options.vary},
      {"exchanges", options.exchanges},          {"slots", options.slots},    {"seed", options.seed},   {"skew", options.skew},
      {"ranks", report.environment.context.size}};
  common::write_file(
      {{"problem", problem}, {"environment", common::environment_of(report.environment)}, {"order", order}, {"protocols", protocols}},
      options.json);
}

}  // namespace sparse
