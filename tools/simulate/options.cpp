// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <halocline/halocline.h>
#include <common/parse.hpp>

namespace simulate {
namespace {

constexpr const char *kDescription =
    "Simulates the modes of a halo swap and other protocols at the scale of the papers, by discrete events. The costs of a node are those "
    "of "
    "the machine card (halocline-bench model), those of the network are published ones, or what the options say.";

constexpr const char *kFooter =
    "Exit status: 0, or 2 if the run could not be made. Nothing is started under an MPI launcher.\n"
    "Example: halocline-simulate --experiment weak --latency-us 2 --json weak.json";

std::vector<std::string> names_of_experiments() {
  std::vector<std::string> names{"all"};
  for (const Experiment &one : experiments()) names.emplace_back(one.name);
  return names;
}

std::vector<std::string> names_of_networks() {
  std::vector<std::string> names = published_networks();
  names.emplace_back("card");
  return names;
}

void add_options(CLI::App &app, Options &o) {
  Settings &s = o.settings;
  app.add_option("--experiment", o.experiments, "Experiments, comma-separated, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_experiments()))
      ->capture_default_str();
  app.add_option("--card", o.card, "The machine card; without: that of this host and MPI, else the default one");
  app.add_option("--network", o.network, "One network for all experiments; card: that of the machine card")
      ->check(CLI::IsMember(names_of_networks()));
  app.add_option("--latency-us", s.latency_us, "What if: latency between nodes, one way")->check(common::number_from_zero());
  app.add_option("--bandwidth", s.bandwidth_gbs, "What if: bandwidth of a node's port in GB/s")->check(common::positive_number());
  app.add_option("--ranks-per-node", s.ranks_per_node, "What if: ranks of a node")->check(CLI::Range(1, 4096));
  app.add_option("--compute-ns", s.compute_ns, "Computation of a cell of a field between swaps of the cloud model")
      ->check(common::number_from_zero())
      ->capture_default_str();
  app.add_option("--noise", s.noise, "Mean random delay of a rank before a swap, in parts of the computation before it")
      ->check(common::number_between(0, 10))
      ->capture_default_str();
  app.add_option("--noise-shape", o.noise_shape, "Distribution of these delays: exponential, or even between 0 and twice the mean")
      ->check(CLI::IsMember({"exponential", "even"}))
      ->capture_default_str();
  app.add_option("--spread", o.spread,
                 "Instead of figures: whether findings hold without, with small and with larger delays, with that many seeds")
      ->check(CLI::Range(1, 100));
  app.add_flag("--barrier", s.barrier, "A barrier before each swap in weak and strong scaling, which does not count");
  app.add_option("--fields", s.fields, "Fields of the cloud model in weak scaling")
      ->check(common::number_between(1, 1000))
      ->capture_default_str();
  app.add_option("--most-ranks", s.most_ranks, "The most ranks that are simulated")->check(CLI::Range(2, 1 << 20))->capture_default_str();
  app.add_option("--rounds", s.rounds.counted, "Swaps that count, after one that does not")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--seed", s.rounds.seed, "Of all random numbers")->check(common::seed())->capture_default_str();
  app.add_option("--check", o.check, "Results of halocline-bench halo --json: what was measured, beside the same swaps simulated");
  app.add_option("--measured", o.measured, "Such results as points in the figures of the same problem, and their check beside them");
  app.add_flag("--least", o.least, "Of measured swaps the 10th percentile of the samples, for machines that are not quiet");
  app.add_option("--json", o.json, "Write machine, points and findings to this file");
  app.add_flag("--progress", o.progress, "Show progress on stderr even if it is not a terminal");
}

}  // namespace

int parse(int argc, char **argv, Options &o, std::string &text) {
  CLI::App app(kDescription, "halocline-simulate");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("halocline-simulate ") + hlc_version());
  add_options(app, o);
  if (const auto answer = common::parse(app, argc, argv)) {
    text = answer->out + answer->err;
    return answer->status;
  }
  o.settings.rounds.noise = o.noise_shape == "even" ? Noise::even : Noise::exponential;
  return -1;
}

}  // namespace simulate
