// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <common/json.hpp>
#include <common/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace simulate {

namespace {

using common::Json;

std::array<int, 3> ints_of(const Json &json) { return {json.at(0), json.at(1), json.at(2)}; }

/// "float64", "int32" and so on: the number is that of bits.
double bytes_of_type(const std::string &type) {
  const std::size_t digits = type.find_first_of("0123456789");
  if (digits == std::string::npos) throw Refusal("the elements are of an unknown type: " + type);
  return std::stod(type.substr(digits)) / 8;
}

HaloProblem problem_of(const Json &json) {
  HaloProblem problem;
  for (std::size_t d = 0; d < 3; ++d) problem.local[d] = json.at("local").at(d);
  problem.ranks = ints_of(json.at("process_grid"));
  problem.depth = json.at("depth"), problem.fields = json.at("fields");
  problem.bytes_per_cell = bytes_of_type(json.at("type"));
  problem.corners = json.at("stencil") == "box";
  return problem;
}

std::string split_of(const Json &json) { return json.value("split", "xy"); }

/// Cells and fields, and what else is not as in the cloud model of the figures.
std::string text_of_problem(const HaloProblem &problem, const Json &json, int nodes) {
  std::ostringstream text;
  text << problem.local[0] << " x " << problem.local[1] << " x " << problem.local[2] << ", " << problem.fields << " fields";
  if (std::fabs(problem.depth - 2) > 0) text << ", depth " << problem.depth;
  if (!problem.corners) text << ", star";
  if (json.at("type") != "float64") text << ", " << json.at("type").get<std::string>();
  if (split_of(json) != "xy") text << ", " << split_of(json);
  if (nodes > 1) text << ", " << nodes << " nodes";
  return text.str();
}

/// Where a run of the bench was.
struct Place {
  int ranks = 0, nodes = 1, cores = 0;
};

/// Refusal where the simulation lacks what decides the times.
Place place_of(const Json &run) {
  const Json &environment = run.at("environment"), &problem = run.at("problem");
  const Place place{environment.at("ranks"), environment.at("nodes"), environment.at("cores")};
  if (problem.value("skew_us", 0.0) > 0)
    throw Refusal("these swaps have a skew: their times include random delays, which are not simulated");
  if (place.nodes == 1) return place;
  if (problem.value("fake_nodes", 0) != place.nodes)
    throw Refusal("these are swaps of several real nodes: no card has the messages of their MPI; those of --fake-nodes can be checked");
  if (place.ranks % place.nodes != 0) throw Refusal("the emulated nodes have different numbers of ranks");
  if (place.ranks > place.cores) throw Refusal("the ranks of the emulated nodes share cores, which is not simulated");
  return place;
}

/// Ranks of one node may share its cores. Emulated nodes are such for the engine alone: to MPI they are one, and their network is that of the card.
Machine machine_of(const std::string &mode, const Place &place, const hlc_model *card, const std::vector<Link> &links) {
  Machine machine{node_of_card(card, {bytes_of(links), longest_of(links)}), {}};
  const bool in_engine = waits_in_engine(mode);
  if (in_engine && place.nodes > 1) machine.network = network_of_card(card);
  machine.network.ranks_per_node = in_engine ? place.ranks / place.nodes : place.ranks;
  machine.node.cores = place.cores;
  if (in_engine) machine.node.switch_us = machine.node.engine_switch_us;
  return machine;
}

std::vector<Checked> check_run(const Json &run, const hlc_model *card, bool least) {
  const Place place = place_of(run);
  const Json &shape = run.at("problem");
  const HaloProblem problem = problem_of(shape);
  const Pattern pattern = halo_pattern(problem, split_of(shape) == "xyz" ? 3 : 2);
  const std::vector<std::string> modes = swap_mode_names();
  std::vector<Checked> all;
  for (const auto &[mode, row] : run.at("modes").items()) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) continue;
    const Machine machine = machine_of(mode, place, card, pattern[0]);
    const Outcome outcome = simulate::run(swap_job(mode, pattern, machine, {}), machine, {2, 8, 1});
    all.push_back({text_of_problem(problem, shape, place.nodes), mode, place.ranks, place.cores, row.at(least ? "p10_us" : "median_us"),
                   outcome.round_us});
  }
  return all;
}

}  // namespace

std::vector<Checked> check_file(const std::string &path, const hlc_model *card, bool least) {
  std::ifstream file(path);
  if (!file) throw Refusal("cannot read " + path);
  try {
    const Json whole = Json::parse(file);
    std::vector<Checked> all;
    for (const Json &run : whole.contains("runs") ? whole.at("runs") : Json::array({whole}))
      for (Checked &one : check_run(run, card, least)) all.push_back(std::move(one));
    return all;
  } catch (const Json::exception &error) {
    throw Refusal(path + " is not a result of halocline-bench halo: " + error.what());
  }
}

Error error_of(const std::vector<Checked> &all) {
  std::vector<double> errors;
  for (const Checked &one : all) errors.push_back(std::fabs(one.error()));
  return {common::quantile(errors, 0.5), common::quantile(errors, 1)};
}

std::string table_of(const std::vector<Checked> &all) {
  std::size_t longest = 26;
  for (const Checked &one : all) longest = std::max(longest, one.problem.size());
  const int width = static_cast<int>(longest) + 2;
  std::ostringstream text;
  text << std::left << std::setw(width) << "swap" << std::setw(7) << "ranks" << std::setw(15) << "mode" << std::right << std::setw(12)
       << "measured us" << std::setw(14) << "simulated us" << std::setw(9) << "error" << "\n";
  for (const Checked &one : all)
    text << std::left << std::setw(width) << one.problem << std::setw(7) << one.ranks << std::setw(15) << one.mode << std::right
         << std::setw(12) << text_of(one.measured_us) << std::setw(14) << text_of(one.simulated_us) << std::setw(8)
         << std::lround(100 * one.error()) << "%\n";
  if (all.empty()) return text.str() + "nothing was compared\n";
  const Error error = error_of(all);
  text << "median error " << std::lround(100 * error.median) << "%, worst " << std::lround(100 * error.worst) << "%\n";
  return text.str();
}

common::Json json_of(const std::vector<Checked> &all) {
  Json json = Json::array();
  for (const Checked &one : all)
    json.push_back({{"problem", one.problem},
                    {"ranks", one.ranks},
                    {"cores", one.cores},
                    {"mode", one.mode},
                    {"measured_us", one.measured_us},
                    {"simulated_us", one.simulated_us}});
  return json;
}

void add_measured(Figure &figure, const std::vector<Checked> &all) {
  const std::size_t simulated = figure.series.size();
  for (std::size_t i = 0; i < simulated; ++i) {
    if (figure.series[i].origin != Origin::simulated) continue;
    Series measured{figure.series[i].name, Origin::measured, {}};
    for (const Checked &one : all)
      if (one.problem == figure.measured_as && one.mode == measured.name)
        measured.points.push_back({1.0 * one.ranks, one.measured_us / 1000});
    if (!measured.points.empty()) figure.series.push_back(measured);
  }
}

}  // namespace simulate
