// SPDX-License-Identifier: BSD-3-Clause
#include "library/auto.hpp"

#include "bench/frame/progress_line.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/team.hpp"
#include "bench/halo/halo.hpp"
#include "library/auto_plan.hpp"

#include <common/statistics.hpp>

#include <algorithm>
#include <cstdlib>

namespace bench {
namespace {

HaloOptions halo_options(const AutoOptions &common, const Configuration &what) {
  HaloOptions options;
  static_cast<CommonOptions &>(options) = common;
  const AutoShape &shape = what.shape;
  options.local = {shape.x, shape.y, shape.z}, options.depth = shape.depth, options.fields = shape.fields, options.type = shape.type;
  options.stencil = shape.stencil, options.split_z = shape.split_z, options.warmups = 1, options.modes = {"all", "auto"};
  options.fake_nodes = what.launch.nodes > 1 ? what.launch.nodes : 0;
  return options;
}

std::string words_of(const Configuration &what) {
  const AutoShape &s = what.shape;
  std::string text = std::to_string(what.launch.ranks) + " ranks";
  if (what.launch.nodes > 1) text += " on " + std::to_string(what.launch.nodes) + " pretended nodes";
  text += ", " + std::to_string(s.x) + "x" + std::to_string(s.y) + "x" + std::to_string(s.z) + ", depth " + std::to_string(s.depth) + ", ";
  text += std::to_string(s.fields) + " " + s.type + (s.stencil == halocline::Stencil::box ? ", box" : ", star");
  return text + (s.split_z ? ", z split" : "");
}

/// Swaps so often; returns when that began.
double swap_times(halocline::Halo &halo, int times) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) halo.swap();
  return begin;
}

double slowest_us(MPI_Comm comm, double begin) { return slowest((MPI_Wtime() - begin) * 1e6, comm); }

/// The first swaps of new halos in mode auto and in the best single mode, in turn, and how long halos take to be made.
void measure_trial(MPI_Comm comm, const HaloOptions &options, AutoCase &found) {
  constexpr int kSwaps = 64, kHalos = 7;
  const halocline::Context context(comm);
  const Problem problem(context, options);
  const auto make = [&](halocline::Mode mode) {
    return problem.make_halo(context, mode, halocline::Epoch::standard, halocline::Drive::standard);
  };
  static_cast<void>(make(halocline::Mode::direct));
  meet(comm);
  double begin = MPI_Wtime();
  static_cast<void>(make(halocline::Mode::direct));
  found.create_direct_us = slowest_us(comm, begin);
  std::vector<double> beyond;
  for (int i = 0; i < kHalos; ++i) {
    begin = MPI_Wtime();
    halocline::Halo halo = make(halocline::Mode::automatic);
    if (i == 0) found.create_us = slowest_us(comm, begin);
    meet(comm);
    const double auto_us = slowest_us(comm, swap_times(halo, kSwaps));
    halocline::Halo best = make(halocline::mode_from_name(found.best));
    meet(comm);
    beyond.push_back((auto_us - slowest_us(comm, swap_times(best, kSwaps))) / found.best_us);
  }
  found.trial_swaps = common::quantile(beyond, 0.5);
}

/// Where the ranks share one node, notify_node is what direct or notify is there, and no mode of its own.
bool is_the_same_as_another(const Row &row, const Report &report) {
  const auto has_its_route = [&](const Row &other) {
    return (other.name == "direct" || other.name == "notify") && other.route == row.route;
  };
  return row.name == "notify_node" && std::any_of(report.rows.begin(), report.rows.end(), has_its_route);
}

/// The rows of single modes; those of others than the library's modes do not count.
AutoCase compare(const std::string &what, const Report &report) {
  AutoCase found;
  found.what = what;
  const auto names = names_of_modes();
  for (const Row &row : report.rows) {
    if (row.name == "auto") found.auto_us = row.median_us, found.chosen = row.mode, found.route = row.route;
    if (row.name == "auto" || std::find(names.begin(), names.end(), row.name) == names.end()) continue;
    if (is_the_same_as_another(row, report)) continue;
    if (found.best.empty() || row.median_us < found.best_us) found.best = row.name, found.best_us = row.median_us;
  }
  return found;
}

AutoCase measure(MPI_Comm comm, const AutoOptions &common, const Configuration &what, int argc, char **argv, std::vector<ResultRow> &rows) {
  const HaloOptions options = halo_options(common, what);
  if (options.fake_nodes > 0) setenv("HALOCLINE_FAKE_NODES", std::to_string(options.fake_nodes).c_str(), 1);
  const HaloOutcome outcome = measure_halo(comm, options, argc, argv);
  if (outcome.wrong) throw Refusal("WRONG HALO: " + *outcome.wrong);
  const Results results = document_of(*outcome.report).results;
  for (const ResultRow &row : results.rows) rows.push_back(completed(row, results.environment));
  AutoCase found = compare(words_of(what), *outcome.report);
  measure_trial(comm, options, found);
  if (options.fake_nodes > 0) unsetenv("HALOCLINE_FAKE_NODES");
  return found;
}

}  // namespace

std::optional<AutoReport> run_auto(MPI_Comm all, const AutoOptions &options, int argc, char **argv) {
  AutoReport report;
  {
    const halocline::Context context(all);
    report.results = {"auto", find_environment(context, argc, argv), {}};
  }
  const std::vector<Configuration> plan = configurations(size_of(all), options.most);
  if (plan.empty()) throw Refusal("mode auto has nothing to choose on 1 rank");
  const double end = MPI_Wtime() + options.seconds;
  const ProgressLine progress(options, rank_of(all));
  for (const Configuration &what : plan) {
    if (!report.cases.empty() && !is_time_left(all, end)) break;
    AutoCase found;
    with_team(all, what.launch.ranks, [&](MPI_Comm team) {
      found = measure(team, options, what, argc, argv, report.results.rows);
      return 0;
    });
    report.cases.push_back(found);
    progress(words_of(what), static_cast<int>(report.cases.size()), static_cast<int>(plan.size()));
  }
  report.left_out = static_cast<int>(plan.size() - report.cases.size());
  return rank_of(all) == 0 ? std::optional(report) : std::nullopt;
}

}  // namespace bench
