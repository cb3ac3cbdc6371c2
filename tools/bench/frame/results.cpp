// SPDX-License-Identifier: BSD-3-Clause
#include "bench/frame/results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace bench {

namespace {

constexpr const char *kSchema = "halocline-bench/1";
constexpr const char *kWarmUp = "each variant of an operation runs before its first sample; its result is verified where it has one";
constexpr const char *kOrder = "one sample of each variant per round, in shuffled order";

Json json_of(const ResultRow &any, const Environment &environment) {
  const ResultRow row = completed(any, environment);
  const Spread spread = spread_of(row.samples);
  Json json = {{"operation", row.operation},
               {"by", row.by},
               {"bytes", row.bytes},
               {"ranks", row.ranks},
               {"nodes", row.nodes},
               {"ranks_per_core", row.ranks_per_core},
               {"unit", row.unit},
               {"median", spread.median},
               {"p10", spread.p10},
               {"p90", spread.p90},
               {"outliers", spread.outliers},
               {"limit", row.limit > 0 ? Json(row.limit) : Json()}};
  for (const auto &[name, value] : {std::pair("local_bytes", row.local_bytes),
                                    {"neighbours", row.neighbours},
                                    {"messages", row.messages},
                                    {"blocks", row.blocks},
                                    {"far_bytes", row.far_bytes},
                                    {"far_messages", row.far_messages}})
    if (value > 0) json[name] = value;
  json["samples"] = row.samples;
  return json;
}

std::string lines_of(const Results &results) {
  std::string text;
  for (const ResultRow &row : results.rows) {
    Json line = {{"schema", kSchema}, {"benchmark", results.benchmark}, {"host", results.environment.host}};
    line.update(json_of(row, results.environment));
    text += line.dump() + "\n";
  }
  return text;
}

std::string quoted(const std::string &text) { return text.find(',') == std::string::npos ? text : '"' + text + '"'; }

std::string csv_of(const Results &results, bool first) {
  std::string text =
      first ? "benchmark,operation,by,bytes,ranks,nodes,unit,median,p10,p90,outliers,limit,samples,blocks,ranks_per_core\n" : "";
  for (const ResultRow &any : results.rows) {
    const ResultRow row = completed(any, results.environment);
    const Spread spread = spread_of(row.samples);
    char numbers[200];
    std::snprintf(numbers, sizeof numbers, "%lld,%d,%d,%s,%.6g,%.6g,%.6g,%d,", static_cast<long long>(row.bytes), row.ranks, row.nodes,
                  row.unit.c_str(), spread.median, spread.p10, spread.p90, spread.outliers);
    char limit[32] = "";
    if (row.limit > 0) std::snprintf(limit, sizeof limit, "%.6g", row.limit);
    char more[64];
    std::snprintf(more, sizeof more, ",%.6g,%.6g\n", row.blocks, row.ranks_per_core);
    text += results.benchmark + "," + quoted(row.operation) + "," + quoted(row.by) + "," + numbers + limit + "," +
            std::to_string(row.samples.size()) + more;
  }
  return text;
}

/// Rows that differ in their bytes alone, and what they have in common.
struct SizeSeries {
  std::string operation, by, unit;
  int ranks, nodes;
  double blocks;
  std::vector<ResultRow> rows{};

  bool holds(const ResultRow &row) const {
    return std::tie(operation, by, unit, ranks, nodes) == std::tie(row.operation, row.by, row.unit, row.ranks, row.nodes) &&
           blocks >= row.blocks && row.blocks >= blocks;
  }
  /// "put of blocks (16000 blocks) by engine"
  std::string title() const {
    std::string more;
    if (blocks > 0) more += number(blocks, 0) + " blocks";
    if (nodes > 1) more += (more.empty() ? "" : ", ") + std::to_string(nodes) + " nodes";
    return operation + (more.empty() ? "" : " (" + more + ")") + " by " + by;
  }
};

/// In the order of their first rows.
std::vector<SizeSeries> series_of(const Results &results) {
  std::vector<SizeSeries> all;
  for (const ResultRow &any : results.rows) {
    const ResultRow row = completed(any, results.environment);
    const auto same = std::find_if(all.begin(), all.end(), [&](const SizeSeries &one) { return one.holds(row); });
    SizeSeries &one =
        same != all.end() ? *same : all.emplace_back(SizeSeries{row.operation, row.by, row.unit, row.ranks, row.nodes, row.blocks});
    one.rows.push_back(row);
  }
  return all;
}

/// As osu_put_latency and its sisters print: a head, and size and median in columns.
std::string osu_of(const Results &results) {
  std::string text;
  for (const SizeSeries &series : series_of(results)) {
    text += "# " + series.title() + ", " + std::to_string(series.ranks) + " ranks (columns of the OSU benchmarks)\n# Size          " +
            (series.unit == "us" ? "Latency (us)" : series.unit) + "\n";
    for (const ResultRow &row : series.rows) {
      char line[80];
      std::snprintf(line, sizeof line, "%-10lld%21.2f\n", static_cast<long long>(row.bytes), spread_of(row.samples).median);
      text += line;
    }
    text += "\n";
  }
  return text;
}

/// As IMB-RMA prints: a head, and size, samples, least, most and mean in columns, which name their unit.
std::string imb_of(const Results &results) {
  const std::string rule = "#----------------------------------------------------------------\n";
  std::string text;
  for (const SizeSeries &series : series_of(results)) {
    text += rule + "# Benchmarking " + series.title() + "\n# #processes = " + std::to_string(series.ranks) + "\n" + rule +
            (series.unit == "us" ? "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
                                 : "       #bytes #repetitions       min[" + series.unit + "]       max[" + series.unit + "]       avg[" +
                                       series.unit + "]\n");
    for (const ResultRow &row : series.rows) {
      double sum = 0;
      for (const double sample : row.samples) sum += sample;
      char line[120];
      std::snprintf(line, sizeof line, "%13lld %12zu %12.2f %12.2f %12.2f\n", static_cast<long long>(row.bytes), row.samples.size(),
                    quantile(row.samples, 0), quantile(row.samples, 1),
                    sum / static_cast<double>(std::max<std::size_t>(row.samples.size(), 1)));
      text += line;
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Spread spread_of(const std::vector<double> &samples) {
  const double low = quantile(samples, 0.25), high = quantile(samples, 0.75), far = 3 * (high - low);
  const auto is_far = [=](double sample) { return sample < low - far || sample > high + far; };
  return {median(samples), quantile(samples, 0.1), quantile(samples, 0.9),
          static_cast<int>(std::count_if(samples.begin(), samples.end(), is_far))};
}

double ranks_per_core(const Environment &environment) {
  const hlc_context_info_t &context = environment.context;
  const int ranks = std::getenv("HALOCLINE_FAKE_NODES") ? context.size : context.node_size;
  return std::max(1.0, static_cast<double>(ranks) / std::max(context.cores, 1));
}

ResultRow completed(ResultRow row, const Environment &environment) {
  if (row.ranks == 0) row.ranks = environment.context.size;
  if (row.nodes == 0) row.nodes = environment.context.nodes;
  if (row.ranks_per_core <= 0) row.ranks_per_core = ranks_per_core(environment);
  return row;
}

std::string text_of(const Results &results, Format format, bool first) {
  switch (format) {
    case Format::table: return table_of(results);
    case Format::jsonl: return lines_of(results);
    case Format::osu: return osu_of(results);
    case Format::imb: return imb_of(results);
    case Format::csv: return csv_of(results, first);
  }
  return "";
}

std::string head_of(const std::string &what, const Environment &environment) {
  return title_of(what, environment) +
         (environment.oversubscribed() ? "The ranks share cores: all times hold their waiting for one.\n" : "");
}

std::string table_of(const Results &results) {
  std::vector<Cells> rows{{"operation", "bytes", "by", "median", "unit", "spread", "outliers", "limit", "to the limit"}};
  for (const ResultRow &row : results.rows) {
    const Spread spread = spread_of(row.samples);
    rows.push_back({row.operation, std::to_string(row.bytes), row.by, significant(spread.median), row.unit,
                    significant(spread.p10) + " - " + significant(spread.p90), std::to_string(spread.outliers),
                    row.limit > 0 ? significant(row.limit) : "-", row.limit > 0 ? number(spread.median / row.limit, 1) : "-"});
  }
  return head_of(results.benchmark, results.environment) + drawn(rows);
}

Json json_of(const Document &document) {
  Json all = {{"schema", kSchema},
              {"benchmark", document.results.benchmark},
              {"environment", environment_of(document.results.environment)},
              {"network", ""}};
  all.update(document.details);
  all["rules"] = {{"warm_up", kWarmUp}, {"outliers", document.outliers}, {"order", kOrder}};
  all["rows"] = Json::array();
  for (const ResultRow &row : document.results.rows) all["rows"].push_back(json_of(row, document.results.environment));
  return all;
}

}  // namespace bench
