// All of sparse that knows CLI11, which takes longer to compile than the rest of a file. It is not optimised (CMakeLists.txt).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "protocol.hpp"

#include <common/parse.hpp>

namespace sparse {

static const char *const kFooter =
    "In each exchange every rank sends to --neighbours random ranks, which do not know of it. Prints for each protocol the microseconds "
    "of\n"
    "an exchange: median over the repeats and in parentheses least and most. Protocols take turns. Exit status 1: with --check a message\n"
    "was wrong; 2: the run could not be made. HALOCLINE_FAKE_NODES=N treats the ranks as N nodes for the engine's protocol.\n"
    "Example: mpiexec -n 4 sparse --neighbours 2 --bytes 5000 --vary --check";

static std::vector<std::string> names_of_protocols() {
  std::vector<std::string> names{"all"};
  for (const Kind &kind : kinds()) names.push_back(kind.name);
  return names;
}

static void add_options(CLI::App &app, Options &o) {
  app.footer(kFooter);
  app.add_option("--protocol", o.protocols, "Protocols, comma-separated, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_protocols()))
      ->capture_default_str();
  app.add_option("--neighbours", o.neighbours, "Ranks to which each rank sends, at most all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--bytes", o.bytes, "Bytes of a message")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30))
      ->capture_default_str();
  app.add_flag("--vary", o.vary, "Sizes are drawn from 0 to --bytes");
  app.add_option("--exchanges", o.exchanges, "Exchanges of a sample, each with other neighbours; of short ones the same again, for 20 ms")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--repeats", o.repeats, "Timed repeats of each protocol; 0: none")->check(CLI::Range(0, 1000000))->capture_default_str();
  app.add_option("--slots", o.slots, "Slots of a rank in the engine's protocol; 0: the library's number")
      ->check(CLI::Range(0, HLC_MAX_SPARSE_SLOTS));
  app.add_option("--seed", o.seed, "Of neighbours and sizes")->check(common::seed())->capture_default_str();
  app.add_flag("--check", o.check, "Compare all messages of --exchanges exchanges, byte by byte");
  app.add_option("--skew", o.skew, "Seed of random delays of each rank before exchanges; 0: none")
      ->check(common::seed())
      ->capture_default_str();
  app.add_option("--json", o.json, "Write the environment and all samples to this file");
}

std::optional<common::Answer> parse(int argc, char **argv, Options &options) {
  CLI::App app("Dynamic sparse data exchange in five protocols: no rank knows from whom it receives. Run it under the MPI launcher.",
               "sparse");
  add_options(app, options);
  return common::parse(app, argc, argv);
}

}  // namespace sparse
