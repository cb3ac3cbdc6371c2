// All of lattice that knows CLI11, which takes longer to compile than the rest of a file. It is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "gather.hpp"

#include <common/parse.hpp>

namespace lattice {

static const char *const kFooter =
    "Solves (m + D) x = b for staggered fermions by even-odd preconditioned conjugate gradients, in several variants that differ only in\n"
    "communication. Prints for each the microseconds of an iteration: median over the repeats and in parentheses least and most. Variants\n"
    "take turns. Communication is what a variant takes longer than 'local', which has no swaps. Exit status 1: a result is wrong, or\n"
    "variants differ; 2: the run could not be made. HALOCLINE_FAKE_NODES=N treats the ranks as\n"
    "N nodes. Example: mpiexec -n 4 lattice --variant p2p,direct,view --check";

static std::vector<std::string> names_of_variants() {
  std::vector<std::string> names{"all"};
  for (const Kind &kind : kinds()) names.push_back(kind.name);
  return names;
}

/// Even numbers of sites, 2 or more.
static std::string wrong_with_extent(const std::string &text) {
  const bool is_number = !text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && std::stol(text) >= 2 && std::stol(text) % 2 == 0) return "";
  return "extents are even numbers from 2 to 9999998, not " + text;
}

static void add_lattice(CLI::App &app, Options &o) {
  auto *local = app.add_option("--local", o.local, "Sites of each rank along x, y, z, t")
                    ->expected(kDims)
                    ->delimiter(',')
                    ->check(wrong_with_extent)
                    ->capture_default_str();
  app.add_option("--global", o.global, "Sites of the whole lattice instead")
      ->expected(kDims)
      ->delimiter(',')
      ->check(wrong_with_extent)
      ->excludes(local);
  app.add_option("--ranks", o.ranks, "Ranks along x, y, z, t; 0: chosen")
      ->expected(kDims)
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--start", o.start, "Links: hot: random, all equally likely; warm: near 1; cold: 1")
      ->check(CLI::IsMember({"hot", "warm", "cold"}))
      ->capture_default_str();
  app.add_option("--read", o.read, "Read the links from this file of NERSC's format; needs --global");
  app.add_option("--write", o.write, "Write the links to this file of NERSC's format");
  app.add_option("--write-rows", o.write_rows, "Rows of each link in that file: 2 or 3")->check(CLI::Range(2, 3))->capture_default_str();
  app.add_option("--write-numbers", o.write_numbers, "Numbers of that file")
      ->check(CLI::IsMember({"IEEE32BIG", "IEEE32LITTLE", "IEEE64BIG", "IEEE64LITTLE"}))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Of links and right-hand side")->check(common::seed())->capture_default_str();
}

static void add_solver(CLI::App &app, Options &o) {
  app.add_option("--mass", o.mass, "m, in units of the lattice")->check(common::number_between(1e-6, 1e3))->capture_default_str();
  app.add_flag("--naik", o.naik, "With third neighbours: ghosts are three sites deep");
  app.add_option("--precision", o.precision, "Of links and fields; sums are double")
      ->check(CLI::IsMember({"double", "single"}))
      ->capture_default_str();
  app.add_option("--residual", o.residual, "To be reached, relative; 0: 1e-10, in single precision 1e-5")
      ->check(common::number_between(0, 1));
  app.add_option("--iterations", o.iterations, "At most")->check(CLI::Range(1, 1000000000))->capture_default_str();
  app.add_option("--dots", o.dots, "Sums over all ranks: hlc_allreduce or MPI_Allreduce")
      ->check(CLI::IsMember({"hlc", "mpi"}))
      ->capture_default_str();
}

static void add_options(CLI::App &app, Options &o) {
  app.footer(kFooter);
  app.add_option("--variant", o.variants, "Variants, comma-separated, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_variants()))
      ->capture_default_str();
  add_lattice(app, o);
  add_solver(app, o);
  app.add_option("--repeats", o.repeats, "Timed solutions by each variant; 0: none")->check(CLI::Range(0, 1000000))->capture_default_str();
  app.add_flag("--check", o.check, "Compare with a serial run, and try the operator, gauge invariance and free fields");
  app.add_option("--skew", o.skew, "Seed of random delays of each rank in swaps; 0: none")->check(common::seed())->capture_default_str();
  app.add_option("--solution", o.solution, "Write right-hand side and solution to this file: README.md has its form");
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("Lattice QCD: conjugate gradients with staggered fermions in four dimensions. Run it under the MPI launcher.", "lattice");
  add_options(app, options);
  if (auto answer = common::parse(app, argc, argv)) return answer;
  if (!options.read.empty() && options.global.empty()) return common::Answer{2, "", "--read needs --global, the file's lattice\n"};
  if (options.residual <= 0) options.residual = options.precision == "double" ? 1e-10 : 1e-5;
  return {};
}

}  // namespace lattice
