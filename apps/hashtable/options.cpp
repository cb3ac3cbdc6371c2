// All of hashtable that knows CLI11, which takes longer to compile than the rest of a file. It is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "variant.hpp"

#include <common/parse.hpp>

namespace hashtable {

static const char *const kFooter =
    "Prints for each variant inserts and look-ups of all ranks together, in millions per second: median over the repeats and in\n"
    "parentheses least and most. Variants take turns, with the same keys. Exit status 1: with --check a table was wrong; 2: the run could\n"
    "not be made. HALOCLINE_FAKE_NODES=N treats the ranks as N nodes for the engine's variants.\n"
    "Example: mpiexec -n 2 hashtable --keys zipf --check";

static std::vector<std::string> names_of_variants() {
  std::vector<std::string> names{"all"};
  for (const Kind &kind : kinds()) names.push_back(kind.name);
  return names;
}

static void add_options(CLI::App &app, Options &o) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  app.footer(kFooter);
  app.add_option("--variant", o.variants, "Variants, comma-separated, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_variants()))
      ->capture_default_str();
  app.add_option("--inserts", o.inserts, "Inserts of each rank per repeat, and look-ups")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->capture_default_str();
  app.add_option("--buckets", o.buckets, "Buckets of each rank; 0: as many as --inserts")->check(CLI::Range(std::int64_t{0}, most));
  app.add_option("--heap", o.heap, "Cells of each rank for collisions; 0: enough for all keys of all ranks")
      ->check(CLI::Range(std::int64_t{0}, most));
  app.add_option("--keys", o.keys, "Keys are drawn at random, all equally likely, or by a Zipf distribution")
      ->check(CLI::IsMember({"random", "zipf"}))
      ->capture_default_str();
  app.add_option("--universe", o.universe, "Different keys that may be drawn; 0: any key, with zipf as many as all ranks insert")
      ->check(CLI::Range(std::int64_t{0}, most));
  app.add_option("--exponent", o.exponent, "Of zipf: the k-th key is drawn with a probability of 1 / k^exponent")
      ->check(common::number_between(0, 10))
      ->capture_default_str();
  app.add_option("--at-once", o.at_once, "Requests of a rank under way, in messages and the batched variants")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Of the keys")->check(common::seed())->capture_default_str();
  app.add_option("--repeats", o.repeats, "Timed repeats of each variant; 0: none")->check(CLI::Range(0, 1000000))->capture_default_str();
  app.add_flag("--check", o.check, "Insert, find, erase and insert again, and compare with a serial table");
  app.add_option("--skew", o.skew, "Seed of random delays of each rank between requests; 0: none")
      ->check(common::seed())
      ->capture_default_str();
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("Distributed hash table in memory that all ranks reach: six ways to communicate. Run it under the MPI launcher.",
               "hashtable");
  add_options(app, options);
  return common::parse(app, argc, argv);
}

}  // namespace hashtable
