// All of boltzmann that knows CLI11, which takes longer to compile than the rest of a file. It is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "output.hpp"
#include "swap.hpp"

#include <common/parse.hpp>

#include <algorithm>

namespace boltzmann {

static const char *const kFooter =
    "Computes fluids by D3Q19 lattice Boltzmann, in one variant of communication or in several, which compute the same bits. All "
    "quantities\n"
    "are in lattice units. A case file has lines OPTION = VALUE in TOML, without the dashes; the command line overrides it. With "
    "--repeats\n"
    "variants take turns, and the table has microseconds of a step: median and in parentheses least and most. Communication is what swaps\n"
    "and the rows beside other ranks take longer than the same rows of 'local', which has no swaps, on the rank that waits least. Exit\n"
    "status 1: a result is wrong, or variants differ; 2: the run could not be made. HALOCLINE_FAKE_NODES=N treats the ranks as N nodes.\n"
    "Example: mpiexec -n 2 boltzmann --case apps/boltzmann/poiseuille.toml --variant view --check";

static std::vector<std::string> names_of_variants() {
  std::vector<std::string> names{"all"};
  for (const Kind &kind : kinds()) names.push_back(kind.name);
  return names;
}

static void add_lattice(CLI::App &app, Options &o) {
  auto *local = app.add_option("--local", o.local, "Sites of each rank along x, y, z")
                    ->expected(kDims)
                    ->delimiter(',')
                    ->check(CLI::Range(1, 100000))
                    ->capture_default_str();
  app.add_option("--global", o.global, "Sites of the whole lattice instead")
      ->expected(kDims)
      ->delimiter(',')
      ->check(CLI::Range(1, 100000))
      ->excludes(local);
  app.add_option("--ranks", o.ranks, "Ranks along x, y, z; 0: chosen")
      ->expected(kDims)
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--walls", o.walls, "1: walls at both ends of x, y, z; 0: periodic")
      ->expected(kDims)
      ->delimiter(',')
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
}

static void add_fluid(CLI::App &app, Options &o) {
  app.add_option("--problem", o.problem,
                 "What it begins with, and what --check compares with: rest, poiseuille, taylor_green, drop, spinodal")
      ->check(CLI::IsMember({"rest", "poiseuille", "taylor_green", "drop", "spinodal"}))
      ->capture_default_str();
  app.add_option("--steps", o.steps, "Time steps")->check(CLI::Range(0, 1000000000))->capture_default_str();
  app.add_option("--viscosity", o.viscosity, "Kinematic")->check(common::number_between(1e-4, 10))->capture_default_str();
  app.add_option("--force", o.force, "Per volume, along x, y, z")
      ->expected(kDims)
      ->delimiter(',')
      ->check(common::number_between(-0.1, 0.1))
      ->capture_default_str();
  app.add_option("--speed", o.speed, "Of the vortices at the beginning")->check(common::number_between(0, 0.2))->capture_default_str();
  app.add_option("--order-parameter", o.order_parameter,
                 "none: one fluid; of two fluids the order parameter has distributions of its own (lb), or finite differences (fd)")
      ->check(CLI::IsMember({"none", "lb", "fd"}))
      ->capture_default_str();
  app.add_option("--bulk", o.bulk, "A of the free energy A (phi^4 / 4 - phi^2 / 2) + kappa / 2 |grad phi|^2")
      ->check(common::number_between(1e-6, 1))
      ->capture_default_str();
  app.add_option("--kappa", o.kappa, "See --bulk")->check(common::number_between(1e-6, 1))->capture_default_str();
  app.add_option("--mobility", o.mobility, "Of the order parameter")->check(common::number_between(0, 10))->capture_default_str();
  app.add_option("--radius", o.radius, "Of the drop; 0: a quarter of the shortest side")
      ->check(common::number_from_zero())
      ->capture_default_str();
  app.add_option("--noise", o.noise, "The order parameter at the beginning of spinodal decomposition, at most")
      ->check(common::number_between(0, 1))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Of this noise")->check(common::seed())->capture_default_str();
}

static void add_run(CLI::App &app, Options &o) {
  app.add_option("--variant", o.variants, "Variants, comma-separated, or all. The first one writes files")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_variants()))
      ->capture_default_str();
  app.add_option("--halo", o.halo, "reduced: the distributions that enter a block; full: all of them, on all sides")
      ->check(CLI::IsMember({"reduced", "full"}))
      ->capture_default_str();
  app.add_flag("--overlap", o.overlap, "Compute what needs no other rank while a swap is under way");
  app.add_option("--repeats", o.repeats, "Timed runs of --steps steps by each variant; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_flag("--check", o.check, "Compare with the problem's analytic solution, to 1 %");
  app.add_option("--skew", o.skew, "Seed of random delays of each rank in swaps; 0: none")->check(common::seed())->capture_default_str();
  app.add_option("--report-every", o.report_every, "Steps between lines about the state; 0: at the end")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  app.add_option("--output", o.output, "Write states to this NetCDF file");
  app.add_option("--output-every", o.output_every, "Steps between states; 0: the first and the last one")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  app.add_option("--checkpoint", o.checkpoint, "Write what a run continues from to this NetCDF file at the end");
  app.add_option("--restart", o.restart, "Continue from such a file, for --steps more steps");
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

static std::string complaint(const Options &o) {
  const auto walls = std::count(o.walls.begin(), o.walls.end(), 1);
  const bool has_files = !o.output.empty() || !o.checkpoint.empty() || !o.restart.empty();
  if (has_files && !why_no_files().empty()) return "--output, --checkpoint and --restart: " + why_no_files();
  if ((o.problem == "drop" || o.problem == "spinodal") && !o.is_binary())
    return "--problem " + o.problem + " needs two fluids: --order-parameter lb or fd";
  // The waves whose Laplacians of the chemical potential and of phi are largest, in steps forward in time: 12 and 4 of phi by finite
  // differences, where all three dimensions alternate, and 16/3 and 16/3 by distributions, where two do.
  const bool differs = o.order_parameter == "fd";
  const double most = differs ? 2 / (24 * o.bulk + 48 * o.kappa) : 2 / (32.0 / 3 * o.bulk + 256.0 / 9 * o.kappa);
  if (o.is_binary() && o.mobility > most)
    return "--mobility " + std::to_string(o.mobility) + " is unstable by " + (differs ? "finite differences" : "distributions") +
           " with this free energy: at most " + std::to_string(most);
  if (o.problem == "poiseuille" && walls != 1) return "--problem poiseuille needs walls along one dimension: --walls 0 0 1";
  if (o.problem == "taylor_green" && (o.walls[0] != 0 || o.walls[2] != 0)) return "--problem taylor_green needs x and z without --walls";
  return "";
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("Lattice Boltzmann: one fluid or two, after Ludwig. Run it under the MPI launcher.", "boltzmann");
  app.footer(kFooter);
  app.set_config("--case", "", "A file with the problem's numbers");
  app.allow_config_extras(CLI::config_extras_mode::error);
  add_lattice(app, options);
  add_fluid(app, options);
  add_run(app, options);
  if (auto answer = common::parse(app, argc, argv)) return answer;
  if (const std::string wrong = complaint(options); !wrong.empty()) return common::Answer{2, "", wrong + "\n"};
  return {};
}

}  // namespace boltzmann
