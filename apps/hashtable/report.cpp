// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <common/json.hpp>
#include <common/statistics.hpp>
#include <common/table.hpp>

#include <algorithm>

namespace hashtable {
namespace {

std::vector<double> rates(const Report &report, const Options &options, const Result &result, double Sample::*part) {
  std::vector<double> found;
  for (const Sample &sample : result.samples)
    found.push_back(static_cast<double>(options.inserts) * report.shape.ranks / 1e6 / (sample.*part));
  return found;
}

}  // namespace

std::string table_of(const Report &report, const Options &options) {
  if (options.repeats == 0) return "";
  std::vector<common::Cells> rows{{"variant", "inserts, M/s", "look-ups, M/s"}};
  for (const Result &result : report.variants)
    rows.push_back({result.name, common::spread(rates(report, options, result, &Sample::insert_s), 3),
                    common::spread(rates(report, options, result, &Sample::find_s), 3)});
  return common::drawn(rows);
}

bool have_equal_content(const Report &report) {
  return std::all_of(report.variants.begin(), report.variants.end(), [&](const Result &one) {
    const Digest &first = report.variants.front().content;
    return one.content.count == first.count && one.content.keys == first.keys;
  });
}

std::string content_of(const Report &report) {
  if (report.variants.empty() || report.variants.front().content.count == 0) return "";
  const Digest &first = report.variants.front().content;
  if (have_equal_content(report)) {
    const bool same = std::all_of(report.variants.begin(), report.variants.end(), [&](const Result &one) { return one.content == first; });
    return "After the inserts of round 0 all hold " + (same ? first.text() : first.text_of_keys()) +
           (same ? ".\n" : "; the values differ, as the first of several ranks that insert a key decides.\n");
  }
  std::string text = "WRONG: after the inserts of round 0 the variants hold different keys\n";
  for (const Result &result : report.variants) text += "  " + result.name + ": " + result.content.text() + "\n";
  return text;
}

std::string limit_of(const Report &report) {
  if (report.limits.empty()) return "";
  const auto ns = [&](double Limit::Sample::*part) {
    std::vector<double> found;
    for (const Limit::Sample &sample : report.limits) found.push_back(sample.*part * 1e9);
    return found;
  };
  const auto rate = [&](const std::vector<double> &times) { return common::number(report.shape.ranks * 1e3 / common::median(times), 1); };
  const std::vector<double> alone = ns(&Limit::Sample::alone_s), fetched = ns(&Limit::Sample::fetched_s);
  return "A compare_and_swap of a random bucket takes " + common::spread(alone, 1) + " ns, and " + common::spread(fetched, 1) +
         " ns if its cache line was requested before: at most " + rate(alone) + " and " + rate(fetched) + " M/s.\n";
}

void write_json(const Report &report, const Options &options) {
  using common::Json;
  Json variants = Json::object(), order = Json::array();
  for (const Result &result : report.variants) {
    Json samples = Json::array();
    for (const Sample &sample : result.samples) samples.push_back({{"insert_s", sample.insert_s}, {"find_s", sample.find_s}});
    order.push_back(result.name);
    variants[result.name] = {{"checked", result.checked},
                             {"keys", result.content.count},
                             {"digest_of_keys", result.content.keys},
                             {"digest_of_pairs", result.content.pairs},
                             {"samples", samples}};
  }
  Json limits = Json::array();
  for (const Limit::Sample &sample : report.limits) limits.push_back({{"alone_s", sample.alone_s}, {"fetched_s", sample.fetched_s}});
  const Json problem = {
      {"inserts", options.inserts},   {"buckets", report.shape.buckets}, {"heap", report.shape.heap},  {"keys", options.keys},
      {"universe", options.universe}, {"exponent", options.exponent},    {"at_once", options.at_once}, {"seed", options.seed},
      {"skew", options.skew},         {"ranks", report.shape.ranks}};
  common::write_file({{"problem", problem},
                      {"environment", common::environment_of(report.environment)},
                      {"order", order},
                      {"variants", variants},
                      {"limits", limits}},
                     options.json);
}

}  // namespace hashtable
