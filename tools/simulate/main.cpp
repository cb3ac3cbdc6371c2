// halocline-simulate: the papers' experiments by discrete events, and the check of the simulation by measured swaps. It calls no MPI but to ask for its
// version, which names the machine card.
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "spread.hpp"

#include <common/printed.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

namespace {

using namespace simulate;
using common::Json;

constexpr int kRefused = 2;

struct Close {
  void operator()(hlc_model *card) const { hlc_model_close(&card); }
};
using Card = std::unique_ptr<hlc_model, Close>;

Card open_card(const Options &options) {
  hlc_model *card = nullptr;
  if (hlc_model_open(options.card.empty() ? nullptr : options.card.c_str(), &card) != HLC_OK)
    throw Refusal(options.card + " is not a machine card; halocline-bench model writes one");
  return Card(card);
}

Json json_of(const Node &node) {
  return {{"source", node.source},
          {"copy_us_per_byte", node.copy_us_per_byte},
          {"pack_us_per_byte", node.pack_us_per_byte},
          {"put_us", node.put_us},
          {"put_us_per_byte", node.put_us_per_byte},
          {"flush_us", node.flush_us},
          {"lock_us", node.lock_us},
          {"message_us", node.message_us},
          {"message_us_per_byte", node.message_us_per_byte},
          {"handover_us", node.handover_us},
          {"switch_us", node.switch_us},
          {"engine_switch_us", node.engine_switch_us}};
}

bool wanted(const Options &options, const std::string &name) {
  for (const std::string &one : options.experiments)
    if (one == "all" || one == name) return true;
  return false;
}

int number_wanted(const Options &options) {
  const auto &all = experiments();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Experiment &one) { return wanted(options, one.name); }));
}

std::vector<Checked> check_files(const Options &options, const std::vector<std::string> &files) {
  std::vector<Checked> all;
  for (const std::string &file : files)
    for (Checked &one : check_file(file, options.settings.card, options.least)) all.push_back(std::move(one));
  return all;
}

void run_experiments(const Options &options, Json &report) {
  Progress progress(options.progress);
  progress.enter("swaps that were measured");
  const std::vector<Checked> measured = check_files(options, options.measured);
  const int all = number_wanted(options);
  int begun = 0;
  for (const Experiment &experiment : experiments()) {
    if (!wanted(options, experiment.name)) continue;
    progress.enter(std::string(experiment.name) + " (" + std::to_string(++begun) + " of " + std::to_string(all) + ")");
    std::vector<Figure> figures = experiment.run(options.settings);
    progress.pause();
    for (Figure &figure : figures) {
      add_measured(figure, measured);
      std::printf("%s\n", table_of(figure).c_str());
      std::fflush(stdout);
      report["figures"].push_back(simulate::json_of(figure));
    }
  }
  if (!measured.empty()) report["check"] = simulate::json_of(measured);
}

void run_spread(const Options &options, Json &report) {
  std::vector<Spread> all;
  {
    Progress progress(options.progress);
    for (const Experiment &experiment : experiments()) {
      if (!wanted(options, experiment.name)) continue;
      progress.enter(experiment.name);
      for (Spread &one : spread_of(experiment, options.settings, options.spread)) all.push_back(std::move(one));
    }
  }
  std::printf("%s", table_of(all).c_str());
  report["spread"] = simulate::json_of(all);
}

void run_check(const Options &options, Json &report) {
  const std::vector<Checked> all = [&] {
    Progress progress(options.progress);
    progress.enter("swaps that were measured");
    return check_files(options, options.check);
  }();
  std::printf("%s", table_of(all).c_str());
  report["check"] = simulate::json_of(all);
}

void simulate_all(Options options) {
  const Card card = open_card(options);
  Settings &settings = options.settings;
  settings.card = card.get();
  const Node node = node_of_card(card.get(), {});
  if (!options.network.empty())
    settings.network = options.network == "card" ? network_of_card(card.get()) : published_network(options.network);
  std::printf("machine card: %s\n\n", node.source.c_str());
  Json report{{"schema", "halocline-simulation/1"},
              {"node", json_of(node)},
              {"seed", settings.rounds.seed},
              {"noise", settings.noise},
              {"barrier", settings.barrier}};
  if (!options.check.empty())
    run_check(options, report);
  else
    options.spread > 0 ? run_spread(options, report) : run_experiments(options, report);
  if (!options.json.empty()) common::write_file(report, options.json);
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  std::string text;
  try {
    if (const int status = parse(argc, argv, options, text); status >= 0) {
      std::fputs(text.c_str(), status == 0 ? stdout : stderr);
      return common::end_of_output("halocline-simulate", status);
    }
    simulate_all(options);
    return common::end_of_output("halocline-simulate", 0);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "halocline-simulate: %s\n", error.what());
    return kRefused;
  }
}
