// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/report.hpp"

namespace bench {

static double median_of(const Race &race, const std::string &name) {
  for (const Series &series : race.series())
    if (series.name == name) return median(series.samples_us);
  return 0;
}

static double over(double a, double b) { return b > 0 ? a / b : 0; }

static Row row_of(const Series &series, double p2p_us, double limit_us, double shift_us, std::int64_t bytes) {
  Row row{};
  row.name = series.name;
  row.mode = series.mode;
  row.route = series.route;
  row.swaps = series.swaps;
  row.samples_us = series.samples_us;
  for (double &us : row.samples_us) us += shift_us;
  row.median_us = median(row.samples_us);
  row.p10_us = quantile(row.samples_us, 0.1);
  row.p90_us = quantile(row.samples_us, 0.9);
  row.ratio_to_p2p = over(p2p_us, row.median_us);
  row.gb_per_s = over(static_cast<double>(bytes) * 1e-3, row.median_us);
  row.times_limit = over(row.median_us, limit_us);
  row.verified_cells = series.verified_cells;
  row.repeats = series.repeats;
  return row;
}

Report make_report(const Environment &environment, const HaloOptions &options, const Problem &problem, const std::vector<int> &nodes,
                   const Race &race, const std::map<std::string, std::string> &skipped) {
  Report report{};
  report.environment = environment;
  report.options = options;
  report.ranks = {problem.grid().ranks(2), problem.grid().ranks(1), problem.grid().ranks(0)};
  report.placement = problem.placement();
  report.halo_bytes = problem.halo_bytes();
  report.shape = problem.shape(nodes);
  report.copy_us = median_of(race, "limit");
  report.handover_samples_us = race.handover_us();
  report.handover_us = median(race.handover_us());
  report.limit_us = report.copy_us + report.handover_us;
  report.skipped = skipped;
  const double p2p_us = median_of(race, "p2p");
  for (const Series &series : race.series())
    report.rows.push_back(row_of(series, p2p_us, report.limit_us, series.swaps ? 0 : report.handover_us, report.halo_bytes));
  return report;
}

}  // namespace bench
