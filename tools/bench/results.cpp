// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

namespace bench {

namespace {

constexpr const char *kSchema = "halocline-bench/1";
constexpr const char *kWarmUp =
    "each way of an operation runs before its first sample; what it leaves is verified where it leaves something";
constexpr const char *kOrder = "one sample of each way per round, in shuffled order";

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
  std::string text = first ? "benchmark,operation,by,bytes,ranks,nodes,unit,median,p10,p90,outliers,limit,samples\n" : "";
  for (const ResultRow &any : results.rows) {
    const ResultRow row = completed(any, results.environment);
    const Spread spread = spread_of(row.samples);
    char numbers[200];
    std::snprintf(numbers, sizeof numbers, "%lld,%d,%d,%s,%.6g,%.6g,%.6g,%d,", static_cast<long long>(row.bytes), row.ranks, row.nodes,
                  row.unit.c_str(), spread.median, spread.p10, spread.p90, spread.outliers);
    char limit[32] = "";
    if (row.limit > 0) std::snprintf(limit, sizeof limit, "%.6g", row.limit);
    text += results.benchmark + "," + quoted(row.operation) + "," + quoted(row.by) + "," + numbers + limit + "," +
            std::to_string(row.samples.size()) + "\n";
  }
  return text;
}

/// The rows of each operation, way and number of ranks, in the order of their first.
std::vector<std::vector<const ResultRow *>> series_of(const Results &results) {
  std::vector<std::vector<const ResultRow *>> all;
  std::map<std::tuple<std::string, std::string, int>, std::size_t> places;
  for (const ResultRow &row : results.rows) {
    const auto [place, is_new] = places.try_emplace({row.operation, row.by, row.ranks}, all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(&row);
  }
  return all;
}

/// As osu_put_latency and its sisters print: a head, and size and median in columns.
std::string osu_of(const Results &results) {
  std::string text;
  for (const auto &series : series_of(results)) {
    text += "# " + series.front()->operation + " by " + series.front()->by + ", " +
            std::to_string(completed(*series.front(), results.environment).ranks) +
            " ranks (columns of the OSU benchmarks)\n# Size          " +
            (series.front()->unit == "us" ? "Latency (us)" : series.front()->unit) + "\n";
    for (const ResultRow *row : series) {
      char line[80];
      std::snprintf(line, sizeof line, "%-10lld%21.2f\n", static_cast<long long>(row->bytes), spread_of(row->samples).median);
      text += line;
    }
    text += "\n";
  }
  return text;
}

/// As IMB-RMA prints: a head, and size, samples, least, most and mean in columns.
std::string imb_of(const Results &results) {
  const std::string rule = "#----------------------------------------------------------------\n";
  std::string text;
  for (const auto &series : series_of(results)) {
    text += rule + "# Benchmarking " + series.front()->operation + " by " + series.front()->by +
            "\n# #processes = " + std::to_string(completed(*series.front(), results.environment).ranks) + "\n" + rule +
            "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n";
    for (const ResultRow *row : series) {
      double sum = 0;
      for (const double sample : row->samples) sum += sample;
      char line[120];
      std::snprintf(line, sizeof line, "%13lld %12zu %12.2f %12.2f %12.2f\n", static_cast<long long>(row->bytes), row->samples.size(),
                    quantile(row->samples, 0), quantile(row->samples, 1),
                    sum / static_cast<double>(std::max<std::size_t>(row->samples.size(), 1)));
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

std::string table_of(const Results &results) {
  std::vector<Cells> rows{{"operation", "bytes", "by", "median", "unit", "spread", "outliers", "limit", "to the limit"}};
  for (const ResultRow &row : results.rows) {
    const Spread spread = spread_of(row.samples);
    rows.push_back({row.operation, std::to_string(row.bytes), row.by, significant(spread.median), row.unit,
                    significant(spread.p10) + " - " + significant(spread.p90), std::to_string(spread.outliers),
                    row.limit > 0 ? significant(row.limit) : "-", row.limit > 0 ? number(spread.median / row.limit, 1) : "-"});
  }
  std::string text = title_of(results.benchmark, results.environment);
  if (results.environment.oversubscribed()) text += "The ranks share cores: all times hold their waiting for one.\n";
  return text + drawn(rows);
}

Json json_of(const Document &document) {
  Json all = {{"schema", kSchema}};
  all.update(opening(document.results.benchmark, document.results.environment, ""));
  all.update(document.details);
  all["rules"] = {{"warm_up", kWarmUp}, {"outliers", document.outliers}, {"order", kOrder}};
  all["rows"] = Json::array();
  for (const ResultRow &row : document.results.rows) all["rows"].push_back(json_of(row, document.results.environment));
  return all;
}

}  // namespace bench
