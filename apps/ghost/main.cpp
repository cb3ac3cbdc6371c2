// ghost: the MiniGhost-like mini-app. Runs one problem in several variants, compares all fields bit by bit, and times the variants in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"
#include "serial.hpp"

#include "fault.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>

namespace {

using namespace ghost;

/// GASPI in a program that has started MPI (section 2 of the paper: mixed mode).
class Gaspi {
 public:
  Gaspi() { must(gaspi_proc_init(GASPI_BLOCK), "gaspi_proc_init"); }
  Gaspi(const Gaspi &) = delete;
  Gaspi &operator=(const Gaspi &) = delete;
  ~Gaspi() { gaspi_proc_term(GASPI_BLOCK); }
};

std::vector<Kind> chosen(const Options &options) {
  std::vector<Kind> some;
  for (const Kind &kind : kinds())
    for (const std::string &name : options.variants)
      if (name == "all" || name == kind.name) {
        some.push_back(kind);
        break;
      }
  return some;
}

/// The first steps of all variants, and what they come to. Returns false if any bit of any variant is not as it should be.
bool compare(std::vector<Runner> &runners, const Grid &grid, const Options &options, Report &report) {
  std::vector<double> right;
  if (options.check) right = serial_run(grid, options);
  bool equal = true;
  for (Runner &runner : runners) {
    runner.run(options.steps);
    std::vector<double> values = values_of(runner.fields(), options.variables);
    if (has_fault("cell") && grid.info.rank == grid.info.size - 1) values.back() = std::nextafter(values.back(), 0.0);
    const std::uint64_t print = fingerprint(grid, values);
    const std::uint64_t wanted = report.variants.empty() ? print : report.variants.front().fingerprint;
    report.variants.push_back({runner.name(), print, {}});
    const common::Difference found = options.check ? difference(grid, values, right) : common::Difference{};
    const bool same = options.check ? found.values == 0 : print == wanted;
    equal = equal && same;
    if (grid.info.rank != 0) continue;
    const char *verdict = same ? options.check ? "equal to the serial run" : "not compared with a serial run" : "DIFFERS";
    std::printf("check %-32s %016" PRIx64 " %s\n", runner.name().c_str(), print, verdict);
    if (found.values > 0) std::printf("  %lld cells, by up to %.1e; %s\n", found.values, found.largest, found.first.c_str());
    if (!same && print != wanted) std::printf("  %s has %016" PRIx64 "\n", report.variants.front().name.c_str(), wanted);
  }
  return equal;
}

/// Each round begins with another variant, and each sample with a step that warms up.
void time_in_turn(std::vector<Runner> &runners, const Grid &grid, const Options &options, Report &report) {
  Machine machine(grid);
  for (int round = 0; round < options.repeats; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % runners.size();
      runners[turn].run(1);
      report.variants[turn].samples.push_back(runners[turn].run(options.steps));
    }
    report.limits.push_back(machine.measure());
  }
}

int run(const Options &options, int argc, char **argv) {
  const halocline::Context context(MPI_COMM_WORLD);
  const Grid grid(context, options);
  const std::vector<Kind> kinds = chosen(options);
  std::optional<Gaspi> gaspi;
  if (std::any_of(kinds.begin(), kinds.end(), [](const Kind &kind) { return kind.needs_gaspi; })) gaspi.emplace();
  common::Skew skew(options.skew, grid.info.rank);
  const Setup setup{grid, options, skew};
  std::vector<Runner> runners;
  runners.reserve(kinds.size());
  for (const Kind &kind : kinds) runners.emplace_back(kind, setup);

  Report report{common::find_environment(context, argc, argv), {}, {}};
  if (grid.info.rank == 0)
    std::printf("%" PRId64 " x %" PRId64 " x %" PRId64 " cells, %d variables, %d points; %d x %d x %d ranks, %d node%s, %d cores\n",
                grid.global[0], grid.global[1], grid.global[2], options.variables, options.stencil, grid.ranks[0], grid.ranks[1],
                grid.ranks[2], grid.info.nodes, grid.info.nodes == 1 ? "" : "s", grid.info.cores);
  if (!compare(runners, grid, options, report)) return 1;
  time_in_turn(runners, grid, options, report);
  if (grid.info.rank != 0) return 0;
  std::fputs(table_of(report, grid, options).c_str(), stdout);
  if (!options.json.empty()) return common::try_to_write([&] { write_json(report, grid, options); });
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("ghost", [=] {
    Options options;
    if (const auto answer = parse(argc, argv, options)) return common::say(*answer);
    return run(options, argc, argv);
  });
}
