// All of fft that knows CLI11, which takes longer to compile than the rest of a file. It is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "transpose.hpp"

#include <common/parse.hpp>

namespace fft {

static const char *const kFooter =
    "Prints for each variant the seconds of all iterations, GFlop/s as NPB counts them, and the time of communication per iteration: "
    "median\n"
    "over the repeats and in parentheses least and most. Communication is what a variant takes longer than 'local', which transforms\n"
    "without transposes. Variants take turns. Exit status 1: with --check a result was wrong; 2: the run could not be made.\n"
    "HALOCLINE_FAKE_NODES=N treats the ranks as N nodes for notify. Example: mpiexec -n 4 fft --class A --decomposition pencil --check";

static std::vector<std::string> names_of_variants() {
  std::vector<std::string> names{"all"};
  for (const Kind &kind : kinds()) names.push_back(kind.name);
  return names;
}

static std::vector<std::string> names_of_classes() {
  std::vector<std::string> names;
  for (const Class &one : classes()) names.push_back(one.name);
  return names;
}

static void add_problem(CLI::App &app, Options &o) {
  CLI::Option *const one =
      app.add_option("--class", o.name, "Class of NAS FT: S 64 x 64 x 64, W 128 x 128 x 32, A 256 x 256 x 128, B 512 x 256 x 256 points");
  one->check(CLI::IsMember(names_of_classes()))->capture_default_str();
  app.add_option("--size", o.size, "Points in x, y and z instead of a class, as 24,12,36")
      ->excludes(one)
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::Range(1, 1 << 16));
  app.add_option("--iterations", o.iterations, "Iterations; 0: as many as the class has, 6 with --size")->check(CLI::Range(0, 1000));
}

static void add_options(CLI::App &app, Options &o) {
  app.footer(kFooter);
  add_problem(app, o);
  app.add_option("--decomposition", o.decomposition, "slab: one transpose among all ranks; pencil: two among fewer each")
      ->check(CLI::IsMember({"slab", "pencil"}))
      ->capture_default_str();
  app.add_option("--grid", o.grid, "Of pencils: how many ranks divide y, and how many z, as 4,2; otherwise as equal as possible")
      ->delimiter(',')
      ->expected(2)
      ->check(common::positive_number());
  app.add_option("--variant", o.variants, "Variants, comma-separated, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_variants()))
      ->capture_default_str();
  app.add_option("--repeats", o.repeats, "Timed repeats of each variant; 0: none")->check(CLI::Range(0, 1000000))->capture_default_str();
  app.add_flag("--check", o.check, "Compare the checksums with NPB's, or with a serial run's, and the fields of all variants bit by bit");
  app.add_option("--skew", o.skew, "Seed of random delays of each rank before planes; 0: none")
      ->check(common::seed())
      ->capture_default_str();
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("NAS FT: a three-dimensional Fourier transform in four ways to communicate. Run it under the MPI launcher.", "fft");
  add_options(app, options);
  return common::parse(app, argc, argv);
}

}  // namespace fft
