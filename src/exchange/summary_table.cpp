// Lays out the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/summary_table.hpp"

#include <algorithm>
#include <cstddef>

#include "base/printed.hpp"

namespace halocline::core {
namespace {

constexpr std::size_t kMaxRows = 16;
constexpr const char *kHead = "halocline:   rank     swaps     MB sent  us least   us mean   us most   waits  ms awaited by others";

double share(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

/// The time in which a rank did not wait in the library, from its first start to its last finish.
std::int64_t busy_ns(const SummaryRow &row) { return row.sums.ended - row.sums.begun - row.sums.all_waits; }

/// By how much the busiest rank exceeds the mean.
double imbalance(const std::vector<SummaryRow> &rows) {
  std::int64_t most = 0, sum = 0;
  for (const SummaryRow &row : rows) {
    most = std::max(most, busy_ns(row));
    sum += busy_ns(row);
  }
  return sum > 0 ? share(most, sum) * static_cast<double>(rows.size()) - 1 : 0;
}

std::string line_of(const SummaryRow &row) {
  const SwapSums &sums = row.sums;
  return printed("halocline: %6lld %9lld %11.3f %9.2f %9.2f %9.2f %7.1f%% %14.3f", static_cast<long long>(row.rank),
                 static_cast<long long>(sums.swaps), static_cast<double>(sums.bytes_out) / 1e6, static_cast<double>(sums.least) / 1e3,
                 share(sums.in_calls, sums.swaps) / 1e3, static_cast<double>(sums.most) / 1e3, 100 * share(sums.waits, sums.in_calls),
                 static_cast<double>(row.awaited) / 1e6);
}

/// Which rank waits most, and for which the others wait most.
std::string line_of_waits(const std::vector<SummaryRow> &rows) {
  const auto waits = [](const SummaryRow &a, const SummaryRow &b) { return a.sums.waits < b.sums.waits; };
  const auto late = [](const SummaryRow &a, const SummaryRow &b) { return a.awaited < b.awaited; };
  const SummaryRow &most = *std::max_element(rows.begin(), rows.end(), waits);
  const SummaryRow &latest = *std::max_element(rows.begin(), rows.end(), late);
  std::string text = printed("halocline: imbalance of the time between waits %.1f%%; rank %lld waits most", 100 * imbalance(rows),
                             static_cast<long long>(most.rank));
  if (latest.awaited <= 0) return text;
  std::int64_t all = 0, known = 0;
  for (const SummaryRow &row : rows) all += row.sums.waits, known += row.awaited;
  return text + printed("; %.0f%% attributed, most of it to rank %lld", 100 * std::min(1.0, share(known, all)),
                        static_cast<long long>(latest.rank));
}

/// Those that the others wait for most, if there are many.
void shorten(std::vector<SummaryRow> &rows) {
  if (rows.size() <= kMaxRows) return;
  std::sort(rows.begin(), rows.end(),
            [](const SummaryRow &a, const SummaryRow &b) { return a.awaited != b.awaited ? a.awaited > b.awaited : a.rank < b.rank; });
  rows.resize(kMaxRows);
}

}  // namespace

std::vector<std::string> summary_lines(const std::string &title, std::vector<SummaryRow> rows) {
  std::vector<std::string> lines{printed("halocline: swaps of %s, by %zu ranks (HALOCLINE_SUMMARY)", title.c_str(), rows.size()), kHead};
  const std::string last = line_of_waits(rows);
  const std::size_t count = rows.size();
  shorten(rows);
  for (const SummaryRow &row : rows) lines.push_back(line_of(row));
  if (rows.size() < count) lines.push_back(printed("halocline:   and %zu ranks for which the others waited less", count - rows.size()));
  lines.push_back(last);
  return lines;
}

std::vector<std::string> summary_lines_of_one(const std::string &title, const SummaryRow &row) {
  return {printed("halocline: swaps of %s, on rank %lld only: the plan was not released by all ranks (HALOCLINE_SUMMARY)", title.c_str(),
                  static_cast<long long>(row.rank)),
          kHead, line_of(row)};
}

}  // namespace halocline::core
