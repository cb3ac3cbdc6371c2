// The report for people.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>

#include "probe.hpp"
#include "report.hpp"
#include "sync.hpp"

namespace doctor {
namespace {

using Cells = std::vector<std::string>;

const Result *find(const Report &report, const std::string &probe) {
  const auto found = std::find_if(report.results.begin(), report.results.end(), [&](const Result &r) { return r.probe == probe; });
  return found == report.results.end() ? nullptr : &*found;
}

/// The word for the worst of several probes; "" if none of them was asked for.
std::string cell(const Report &report, const std::vector<std::string> &probes) {
  bool asked = false;
  Outcome worst = Outcome::right;
  for (const std::string &probe : probes) {
    const Result *result = find(report, probe);
    if (!result) continue;
    asked = true;
    if (result->outcome != Outcome::fact) worst = worse(worst, result->outcome);
  }
  return asked ? name_of(worst) : "";
}

std::string drawn(const std::vector<Cells> &rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Cells &row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const Cells &row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += row[c] + std::string(widths[c] - row[c].size() + 2, ' ');
    text += "  " + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

bool has_cells(const std::vector<Cells> &rows) {
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 1; c < rows[r].size(); ++c)
      if (!rows[r][c].empty()) return true;
  return false;
}

/// Windows by synchronisation, or by atomic operation.
std::string window_table(const Report &report, const Cells &columns, bool sums) {
  std::vector<Cells> rows{{"window"}};
  rows[0].insert(rows[0].end(), columns.begin(), columns.end());
  for (const Kind kind : kKinds) {
    Cells row{name_of(kind)};
    for (const std::string &column : columns) {
      const std::string probe = row[0] + "/" + column;
      row.push_back(cell(report, sums ? Cells{probe, probe + "/sum"} : Cells{probe}));
    }
    rows.push_back(row);
  }
  return has_cells(rows) ? drawn(rows) + "\n" : "";
}

bool is_of_window(const std::string &probe) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](Kind kind) { return probe.rfind(std::string(name_of(kind)) + "/", 0) == 0; });
}

std::string features(const Report &report) {
  std::vector<Cells> rows;
  for (const Result &result : report.results) {
    if (is_of_window(result.probe)) continue;
    std::string shown;
    for (const Finding &finding : result.findings)
      if (finding.outcome == Outcome::fact) shown = finding.text;
    rows.push_back({result.probe, result.outcome == Outcome::fact ? "right" : name_of(result.outcome), shown});
  }
  return rows.empty() ? "" : drawn(rows) + "\n";
}

/// Of a run of some probes only what they have to say.
std::string modes(const Report &report) {
  std::vector<Cells> rows;
  for (const std::string &name : mode_names()) {
    const ModeVerdict &verdict = report.modes.at(name);
    if (!report.complete && verdict.word == "untested") continue;
    std::string reason = verdict.reason.substr(0, 90);
    if (reason.size() < verdict.reason.size()) reason += "...";
    rows.push_back({"mode " + name, verdict.word, reason});
  }
  const std::string left_out = rows.size() < mode_names().size() ? "  (modes are judged by all probes, without --only)\n" : "";
  return (rows.empty() ? "" : drawn(rows)) + left_out + "\n";
}

/// What was found wrong or missing in a probe: the first findings, and how to see them again.
std::string details(const Report &report, const Result &result) {
  constexpr std::size_t most = 4;
  std::string text = std::string(name_of(result.outcome)) + ": " + result.probe + "\n";
  std::size_t shown = 0;
  for (const Finding &finding : result.findings) {
    if (finding.outcome <= Outcome::fact) continue;
    if (++shown > most) continue;
    text += "    rank " + std::to_string(finding.rank) + (finding.operation.empty() ? "" : ", " + finding.operation) + ": " + finding.text +
            "\n";
  }
  if (shown > most) text += "    (and " + std::to_string(shown - most) + " more, see --json)\n";
  return text + "    again: mpiexec -n " + std::to_string(report.ranks) + " halocline-doctor --only '" + result.probe + "'\n";
}

std::string counts(const Report &report) {
  std::string text;
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    if (outcome == Outcome::fact) continue;
    const auto is = [&](const Result &r) { return r.outcome == outcome || (outcome == Outcome::right && r.outcome == Outcome::fact); };
    const auto count = std::count_if(report.results.begin(), report.results.end(), is);
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kOutcomeNames[i];
  }
  return text;
}

std::string every_probe(const Report &report) {
  std::vector<Cells> rows;
  for (const Result &result : report.results) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f s", result.seconds);
    rows.push_back({result.probe, name_of(result.outcome == Outcome::fact ? Outcome::right : result.outcome), seconds});
  }
  return rows.empty() ? "" : drawn(rows) + "\n";
}

std::string tables(const Report &report) {
  Cells columns;
  for (const Sync &sync : sync_table()) columns.emplace_back(sync.name);
  return window_table(report, columns, true) +
         window_table(report, {"fetch_and_op", "compare_and_swap", "concurrent_sums", "order"}, false);
}

/// What was not right, and the counts.
std::string end_of(const Report &report) {
  std::string text;
  for (const Result &result : report.results)
    if (result.outcome > Outcome::fact && result.outcome != Outcome::untested) text += details(report, result);
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", report.seconds);
  return text + std::to_string(report.results.size()) + " probes in " + seconds + ": " + counts(report) + "\n";
}

std::string text_of_drop_in(const Report &report, bool verbose) {
  const DropInReport &drop_in = report.drop_in;
  if (drop_in.library.empty()) return "";
  std::string text = "\nThe same MPI with " + drop_in.library + " loaded before it:\n\n";
  if (!drop_in.trouble.empty()) return text + "not tried: " + drop_in.trouble + "\n";
  Report second = report;
  second.results = drop_in.results;
  second.seconds = drop_in.seconds;
  text += tables(second) + (verbose ? every_probe(second) : "") + features(second) + end_of(second);
  return text + (drop_in.windows.empty() ? "" : "On rank 0, " + drop_in.windows + "\n");
}

}  // namespace

bool Report::has_fault() const {
  const auto is_wrong = [](const Result &r) { return is_fault(r.outcome) || r.outcome == Outcome::untested; };
  return std::any_of(results.begin(), results.end(), is_wrong) || !drop_in.trouble.empty() ||
         std::any_of(drop_in.results.begin(), drop_in.results.end(), is_wrong);
}

std::string text_of(const Report &report, bool verbose) {
  std::string text = report.mpi_short + ", " + std::to_string(report.ranks) + (report.ranks == 1 ? " rank, " : " ranks, ") + report.host +
                     ": " + report.launch + "\n\n";
  text += tables(report) + (verbose ? every_probe(report) : "") + features(report) + modes(report) + end_of(report);
  return text + text_of_drop_in(report, verbose);
}

}  // namespace doctor
