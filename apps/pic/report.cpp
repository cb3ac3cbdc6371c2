// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/json.hpp>
#include <common/statistics.hpp>
#include <common/table.hpp>

#include <algorithm>

namespace pic {

double Sample::communication() const {
  double sum = 0;
  for (int one = 0; one < kSites; ++one)
    if (one != static_cast<int>(Site::waiting)) sum += site[one];
  return sum;
}

namespace {

template <class Part>
double median_ms(const Result &result, const Part &part) {
  std::vector<double> all;
  for (const Sample &sample : result.samples) all.push_back(part(sample) * 1e3);
  return common::median(all);
}

/// "fields_s" and so on.
std::string key_of(int site) {
  std::string key = kSiteNames[site];
  std::replace(key.begin(), key.end(), ' ', '_');
  return key + "_s";
}

common::Json json_of(const Result &result) {
  common::Json samples = common::Json::array();
  for (const Sample &sample : result.samples) {
    common::Json one = {{"total_s", sample.total}, {"communication_s", sample.communication()}};
    for (int site = 0; site < kSites; ++site) one[key_of(site)] = sample.site[site];
    samples.push_back(one);
  }
  return {{"checked", result.same},
          {"field_iterations", result.field_iterations},
          {"charge_iterations", result.charge_iterations},
          {"samples", samples}};
}

}  // namespace

std::string table_of(const std::vector<Result> &results) {
  std::vector<common::Cells> rows{{"ms per step, medians", "total", "communication", "share"}};
  for (const char *site : kSiteNames) rows[0].push_back(site);
  for (const Result &result : results) {
    const double total = median_ms(result, [](const Sample &s) { return s.total; });
    const double communication = median_ms(result, [](const Sample &s) { return s.communication(); });
    common::Cells row{result.name, common::significant(total), common::significant(communication),
                      common::number(total > 0 ? 100 * communication / total : 0, 0, " %")};
    for (int site = 0; site < kSites; ++site)
      row.push_back(common::significant(median_ms(result, [site](const Sample &s) { return s.site[site]; })));
    rows.push_back(row);
  }
  return common::drawn(rows);
}

void write_json(const Options &options, const common::Environment &environment, const std::vector<Result> &results) {
  common::Json variants, order = common::Json::array();
  for (const Result &result : results) {
    order.push_back(result.name);
    variants[result.name] = json_of(result);
  }
  std::int64_t per_cell = 0;
  for (const std::int64_t count : options.per_cell) per_cell += count;
  std::string cells;
  for (const std::int64_t n : options.cells) cells += (cells.empty() ? "" : " x ") + std::to_string(n);
  const common::Json problem = {{"case", options.title}, {"cells", cells}, {"per_cell", per_cell}, {"ranks", environment.context.size}};
  common::write_file({{"problem", problem}, {"environment", common::environment_of(environment)}, {"order", order}, {"variants", variants}},
                     options.json);
}

}  // namespace pic
