// SPDX-License-Identifier: BSD-3-Clause
#include "spread.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace simulate {

namespace {

constexpr double kNoises[] = {0.01, 0.05};
const char *name_of(Noise shape) { return shape == Noise::even ? "even" : "exponential"; }

void begin_under(std::vector<Spread> &all, const std::vector<Figure> &figures, double noise, Noise shape) {
  std::size_t i = 0;
  for (const Figure &figure : figures)
    for (const Finding &finding : figure.findings) {
      if (finding.measure.empty()) continue;
      if (i == all.size()) all.push_back({figure.name, finding.statement, finding.measure});
      all[i++].under.push_back({noise, shape, 0, 0, HUGE_VAL, -HUGE_VAL});
    }
}

void add(std::vector<Spread> &all, const std::vector<Figure> &figures) {
  std::size_t i = 0;
  for (const Figure &figure : figures)
    for (const Finding &finding : figure.findings) {
      if (finding.measure.empty()) continue;
      Under &under = all[i++].under.back();
      under.holds += finding.holds ? 1 : 0, under.seeds += 1;
      under.least = std::min(under.least, finding.value), under.most = std::max(under.most, finding.value);
    }
}

std::string range_of(const Under &under) {
  const std::string least = text_of(under.least, 4), most = text_of(under.most, 4);
  return least == most ? least : least + "-" + most;
}

std::string label_of(const Under &under) {
  return under.noise > 0 ? text_of(100 * under.noise) + "% " + name_of(under.shape) : std::string("none");
}

}  // namespace

bool Spread::hangs_on_noise() const {
  int holds = 0, seeds = 0;
  for (const Under &one : under) holds += one.holds, seeds += one.seeds;
  return holds > 0 && holds < seeds;
}

std::vector<Spread> spread_of(const Experiment &experiment, const Settings &settings, int seeds) {
  std::vector<Spread> all;
  const auto run_under = [&](double noise, Noise shape) {
    Settings mine = settings;
    mine.noise = noise, mine.rounds.noise = shape, mine.only_findings = true;
    for (int seed = 1; seed <= seeds; ++seed) {
      mine.rounds.seed = static_cast<std::uint64_t>(seed);
      const std::vector<Figure> figures = experiment.run(mine);
      if (seed == 1) begin_under(all, figures, noise, shape);
      add(all, figures);
    }
  };
  run_under(0, Noise::exponential);
  for (const double noise : kNoises)
    for (const Noise shape : {Noise::even, Noise::exponential}) run_under(noise, shape);
  return all;
}

std::string table_of(const std::vector<Spread> &all) {
  std::string text =
      "Findings under delays of the ranks: of how many seeds they hold, and the least and the most of a number that decides\n";
  for (const Spread &one : all) {
    text += one.figure + ": " + one.statement + (one.hangs_on_noise() ? "; IT HANGS ON THE DELAYS" : "") + "\n    " + one.measure + ":";
    for (const Under &under : one.under)
      text +=
          "\n    " + label_of(under) + ": " + std::to_string(under.holds) + " of " + std::to_string(under.seeds) + ", " + range_of(under);
    text += "\n";
  }
  return text;
}

common::Json json_of(const std::vector<Spread> &all) {
  common::Json json = common::Json::array();
  for (const Spread &one : all) {
    common::Json unders = common::Json::array();
    for (const Under &under : one.under)
      unders.push_back({{"noise", under.noise},
                        {"shape", name_of(under.shape)},
                        {"holds", under.holds},
                        {"seeds", under.seeds},
                        {"least", under.least},
                        {"most", under.most}});
    json.push_back({{"figure", one.figure}, {"statement", one.statement}, {"measure", one.measure}, {"under", unders}});
  }
  return json;
}

}  // namespace simulate
