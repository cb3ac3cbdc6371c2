// SPDX-License-Identifier: BSD-3-Clause
#include "bench/frame/command_line.hpp"

#include "bench/frame/choice.hpp"

namespace bench {

std::pair<const Command *, common::Answer> parse(int argc, char **argv, const std::string &program, const Commands &commands) {
  CLI::App app("Benchmarks of the halocline library. Run it under the MPI launcher: mpiexec -n 2 " + program + " halo", program);
  app.require_subcommand(1);
  app.set_version_flag("--version", program + " " + hlc_version());
  std::vector<CLI::App *> added;
  for (const Command &command : commands) added.push_back(command.add(app));
  if (const auto answer = common::parse(app, argc, argv)) return {nullptr, *answer};
  for (std::size_t i = 0; i < added.size(); ++i)
    if (added[i]->parsed()) return {&commands[i], {}};
  return {};
}

void add_common(CLI::App &command, CommonOptions &o) {
  command.add_option("--repetitions", o.repetitions, "Rounds, that is samples of each")
      ->check(common::positive_number())
      ->capture_default_str();
  command.add_option("--fake-nodes", o.fake_nodes, "Treat the ranks as this number of nodes (0: as they are)")
      ->check(common::number_from_zero())
      ->capture_default_str();
  add_choice(command, "--format", o.format,
             {{"table", Format::table}, {"jsonl", Format::jsonl}, {"osu", Format::osu}, {"imb", Format::imb}, {"csv", Format::csv}},
             "table: for people; jsonl: a row of the schema per line; osu, imb: the columns of those benchmarks; csv");
  command.add_option("--json", o.json, "Write environment, rules, rows and all samples to this file");
  command.add_flag("--progress", o.progress, "Show progress on stderr even if it is not a terminal");
}

void add_seed(CLI::App &command, CommonOptions &o) {
  command.add_option("--seed", o.seed, "Seed of the order in a round, and of what else is random")
      ->check(common::seed())
      ->capture_default_str();
}

void add_sampling(CLI::App &command, CommonOptions &o) {
  command
      .add_option("--sample-ms", o.sample_ms, "A sample repeats the operation until it takes about this many milliseconds, at least once")
      ->check(common::positive_number())
      ->capture_default_str();
  add_seed(command, o);
}

void add_ranks(CLI::App &command, CommonOptions &o) {
  command.add_option("--ranks", o.ranks, "Numbers of ranks, comma-separated, one run for each while the others sleep (default: all)")
      ->delimiter(',')
      ->check(common::positive_number());
}

void add_sizes(CLI::App &command, CommonOptions &o, const char *what, std::pair<std::int64_t, std::int64_t> range) {
  command.add_option("--sizes", o.sizes, std::string(what) + ", comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(range.first, range.second))
      ->capture_default_str();
}

void add_seconds(CLI::App &command, double &seconds, const char *what) {
  command.add_option("--seconds", seconds, what)->check(common::positive_number())->capture_default_str();
}

void add_words(CLI::App &command, const std::string &name, std::vector<std::string> &chosen, const std::vector<std::string> &words,
               const std::string &what) {
  chosen = words;
  command.add_option(name, chosen, what)->delimiter(',')->check(CLI::IsMember(words))->capture_default_str();
}

}  // namespace bench
