// SPDX-License-Identifier: BSD-3-Clause
#include "library/auto.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {
namespace {

struct AutoVerdict {
  double within_10_percent = 0, worst_ratio = 0, median_trial_swaps = 0, worst_trial_swaps = 0;
};

AutoVerdict verdict_of(const std::vector<AutoCase> &cases) {
  AutoVerdict verdict;
  std::vector<double> trials;
  for (const AutoCase &one : cases) {
    verdict.within_10_percent += one.ratio() <= 1.1 ? 1 : 0;
    verdict.worst_ratio = std::max(verdict.worst_ratio, one.ratio());
    trials.push_back(one.trial_swaps);
  }
  std::sort(trials.begin(), trials.end());
  if (trials.empty()) return verdict;
  verdict.within_10_percent /= static_cast<double>(cases.size());
  verdict.median_trial_swaps = trials[trials.size() / 2], verdict.worst_trial_swaps = trials.back();
  return verdict;
}

Json json_of(const AutoCase &one) {
  return {{"what", one.what},           {"chosen", one.chosen},
          {"best", one.best},           {"route", one.route},
          {"auto_us", one.auto_us},     {"best_us", one.best_us},
          {"ratio", one.ratio()},       {"trial_swaps", one.trial_swaps},
          {"create_us", one.create_us}, {"create_direct_us", one.create_direct_us}};
}

}  // namespace

std::string table_of(const AutoReport &report) {
  char line[256];
  std::snprintf(line, sizeof line, "%-66s %-12s %-12s %10s %7s %7s %9s\n", "configuration", "chosen", "best", "best us", "ratio", "trial",
                "creation");
  std::string text = line;
  for (const AutoCase &one : report.cases) {
    std::snprintf(line, sizeof line, "%-66s %-12s %-12s %10.2f %7.2f %7.1f %9.1f\n", one.what.c_str(), one.chosen.c_str(), one.best.c_str(),
                  one.best_us, one.ratio(), one.trial_swaps, one.create_us / one.create_direct_us);
    text += line;
  }
  const AutoVerdict verdict = verdict_of(report.cases);
  std::snprintf(
      line, sizeof line,
      "%zu configurations, %d left out: auto within 10 %% of the best single mode in %.0f %%, at worst %.2f times; trial %.1f swaps "
      "(worst %.1f)\n",
      report.cases.size(), report.left_out, 100 * verdict.within_10_percent, verdict.worst_ratio, verdict.median_trial_swaps,
      verdict.worst_trial_swaps);
  return text + line +
         "ratio: auto to the best single mode, interleaved. trial: what the first 64 swaps took beyond the first 64 of the best, in its "
         "later swaps; median of 7 halos.\n"
         "creation: of a halo in mode auto, in creations in mode direct.\n";
}

Document document_of(const AutoReport &report) {
  const AutoVerdict verdict = verdict_of(report.cases);
  Json cases = Json::array();
  for (const AutoCase &one : report.cases) cases.push_back(json_of(one));
  return {report.results,
          {{"cases", cases},
           {"left_out", report.left_out},
           {"within_10_percent", verdict.within_10_percent},
           {"worst_ratio", verdict.worst_ratio},
           {"median_trial_swaps", verdict.median_trial_swaps},
           {"worst_trial_swaps", verdict.worst_trial_swaps}}};
}

}  // namespace bench
