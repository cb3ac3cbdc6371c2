// All of ghost that knows CLI11, which takes longer to compile than the rest of a file. It runs once, so it is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "variants/variant.hpp"

#include <common/parse.hpp>

namespace ghost {

static const char *const kFooter =
    "Prints for each variant, median over the repeats and in parentheses least and most: elements (cells times variables) per rank and "
    "second\n"
    "in all; in the computation alone; and the bandwidth that the exchanges achieve, 6 N^2 x 8 bytes per variable over their time (N^3: "
    "cells\n"
    "per rank). Variants take turns. `check` lines have a fingerprint of all fields after the first --steps steps. Exit status 1: they "
    "differ\n"
    "between variants, or with --check from the serial run in any bit; 2: the run could not be made.\n"
    "HALOCLINE_FAKE_NODES=N treats the ranks as N nodes.\n"
    "Example: mpiexec -n 2 ghost --local 32 --stencil 27 --periodic --check";

static std::string wrong_dimensions(const std::string &text) {
  return text.find_first_not_of("xyz") == std::string::npos ? "" : "dimensions are letters of xyz, as xz, not '" + text + "'";
}

static std::vector<std::string> names_of_variants() {
  std::vector<std::string> names{"all"};
  for (const Kind &kind : kinds()) names.push_back(kind.name);
  return names;
}

static void add_options(CLI::App &app, Options &o) {
  app.footer(kFooter);
  app.add_option("--variant", o.variants, "Variants, comma-separated, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_variants()))
      ->capture_default_str();
  auto *local = app.add_option("--local", o.local, "Cells along each side of every rank's block")->check(CLI::Range(1, 4096));
  local->capture_default_str();
  app.add_option("--global", o.global, "NX NY NZ: cells of the whole grid, instead of --local")
      ->expected(3)
      ->check(CLI::Range(1, 1000000))
      ->excludes(local);
  app.add_option("--ranks", o.ranks, "PX PY PZ: ranks along x, y and z; 0 leaves one free")->expected(3)->check(CLI::Range(0, 1000000));
  app.add_option("--vars", o.variables, "Variables, each with its own exchange and stencil")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--stencil", o.stencil, "Points of the stencil")->check(CLI::IsMember({7, 27}))->capture_default_str();
  app.add_flag("--periodic{xyz}", o.periodic,
               "Join the two sides of all dimensions, or of some: --periodic=xz. Others are open: constants are beyond")
      ->check(wrong_dimensions);
  app.add_option("--steps", o.steps, "Time steps per repeat")->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--repeats", o.repeats, "Timed repeats of each variant; 0: only compare")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_flag("--check", o.check, "Compare all fields with a serial run, bit by bit");
  app.add_option("--skew", o.skew, "Seed of random delays of each rank between the phases of a step; 0: none")
      ->check(common::seed())
      ->capture_default_str();
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("MiniGhost-like mini-app: halo exchanges of a stencil code in seven variants. Run it under the MPI launcher.", "ghost");
  add_options(app, options);
  return common::parse(app, argc, argv);
}

}  // namespace ghost
