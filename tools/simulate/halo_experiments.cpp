// The scaling experiments of Brown et al., section V.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"
#include "findings.hpp"
#include "parallel.hpp"

#include <algorithm>

namespace simulate {

namespace {

/// u, v, w, temperature and 25 moisture fields; box stencil of depth 2 (section V).
constexpr double kFields = 29, kSolverFields = 1, kDepth = 2;
/// A domain small enough for its messages to become short.
constexpr double kSmallSide = 512, kSmallHeight = 32;
constexpr int kLeastWeak = 128, kLeastStrong = 2048, kBeyond = 4, kFactor = 4, kLeastHeight = 1, kMostHeight = 1024;
const char *const kModes[] = {"p2p_waitall", "p2p", "fence", "pscw", "passive", "passive_naive", "notify", "direct", "notify_node"};

HaloProblem columns(const std::array<int, 3> &grid, const std::array<double, 3> &local, double fields) {
  HaloProblem problem;
  problem.local = local, problem.ranks = grid, problem.depth = kDepth, problem.fields = fields;
  return problem;
}

/// The computation before a swap, and the delay of a rank in it.
Between step_of(const HaloProblem &problem, const Settings &settings) {
  const double compute_us = problem.local[0] * problem.local[1] * problem.local[2] * problem.fields * settings.compute_ns / 1000;
  return {compute_us, settings.noise * compute_us, settings.barrier};
}

/// Milliseconds of a swap at x, averaged over ranks and rounds, as the paper has it.
void add_points(Figure &figure, const Settings &settings, const std::vector<Contender> &contenders, const HaloProblem &problem, double x) {
  const Pattern pattern = halo_pattern(problem, 2);
  const Machine machine = settings.machine("archer", {bytes_of(pattern[0]), longest_of(pattern[0])});
  std::vector<double> ms(contenders.size());
  for_all(contenders.size(), [&](std::size_t i) {
    const Job job = contenders[i].job(pattern, machine, step_of(problem, settings));
    ms[i] = simulate::run(job, machine, settings.rounds).mean_us / 1000;
  });
  figure.series.resize(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    figure.series[i].name = contenders[i].name;
    figure.series[i].points.push_back({x, ms[i]});
  }
}

common::Json json_of(const Network &network) {
  return {{"name", network.name},
          {"ranks_per_node", network.ranks_per_node},
          {"latency_us", network.latency_us},
          {"us_per_byte", network.us_per_byte},
          {"overhead_us", network.overhead_us},
          {"memory_us_per_byte", network.memory_us_per_byte},
          {"eager_bytes", network.eager_bytes}};
}

std::vector<Contender> all_modes() {
  std::vector<Contender> contenders;
  for (const char *mode : kModes) contenders.push_back(contender_of(mode));
  return contenders;
}

std::vector<double> beyond(const std::vector<int> &ranks) {
  std::vector<double> more;
  for (const int some : growing(ranks.back() * 2, ranks.back() * kBeyond)) more.push_back(some);
  return more;
}

}  // namespace

Contender contender_of(const std::string &mode) {
  return {mode, [mode](const Pattern &pattern, const Machine &machine, const Between &before) {
            return swap_job(mode, pattern, machine, before);
          }};
}

Figure weak_figure(const Settings &settings, const std::vector<Contender> &contenders, const std::vector<int> &ranks) {
  const std::string fields = text_of(settings.fields) + " fields";
  Figure figure{"weak", "Weak scaling: 16 x 16 x 256 cells per rank, " + fields, "ranks", "ms per swap", "Brown et al., figures 6 and 11"};
  figure.measured_as = "16 x 16 x 256, " + fields;
  figure.network = json_of(settings.machine("archer").network);
  for (const int some : ranks) add_points(figure, settings, contenders, columns(grid_of(some, 2), {16, 16, 256}, settings.fields), some);
  return figure;
}

Figure strong_figure(const Settings &settings, const std::vector<Contender> &contenders, const std::vector<int> &ranks,
                     const Domain &domain) {
  const std::string side = text_of(domain.side, 4), title = side + " x " + side + " x " + text_of(domain.height);
  Figure figure{domain.name, "Strong scaling: " + title + " cells, fields: " + text_of(domain.fields), "ranks", "ms per swap",
                "Brown et al., figure 7"};
  for (const int some : ranks) {
    const std::array<int, 3> grid = grid_of(some, 2);
    add_points(figure, settings, contenders, columns(grid, {domain.side / grid[0], domain.side / grid[1], domain.height}, domain.fields),
               some);
  }
  return figure;
}

Figure message_figure(const Settings &settings, const std::vector<Contender> &contenders, int ranks) {
  Figure figure{"messages", "Blocks of 16 x 16 x n cells, 1 field, " + std::to_string(ranks) + " ranks", "bytes of the longest message",
                "ms per swap", "Brown et al., section V, on figures 7 to 9"};
  for (const int height : growing(kLeastHeight, kMostHeight, kFactor)) {
    const HaloProblem problem = columns(grid_of(ranks, 2), {16, 16, 1.0 * height}, kSolverFields);
    add_points(figure, settings, contenders, problem, longest_of(halo_pattern(problem, 2)[0]));
  }
  return figure;
}

std::vector<Figure> weak_scaling(const Settings &settings) {
  std::vector<int> ranks = growing(std::min(kLeastWeak, settings.most_ranks), settings.most_ranks, kFactor);
  if (ranks.back() != settings.most_ranks) ranks.push_back(settings.most_ranks);
  Figure figure = weak_figure(settings, all_modes(), ranks);
  figure.findings = {fence_falls_behind(figure), adopted_passive_beats_naive(figure), passive_beats_messages(figure),
                     pscw_beats_messages(figure), pscw_is_near_passive(figure)};
  add_modelled(figure, beyond(ranks), settings.machine("archer").network.ranks_per_node);
  return {figure};
}

std::vector<Figure> strong_scaling(const Settings &settings) {
  // Two numbers of ranks at least: the findings are about how a time changes.
  const int least = std::min(kLeastStrong, std::max(settings.most_ranks / kFactor, 2));
  const std::vector<int> ranks = growing(least, settings.most_ranks, kFactor);
  Figure step = strong_figure(settings, all_modes(), ranks, {"strong_29", 2048, 128, kFields});
  Figure solver = strong_figure(settings, all_modes(), ranks, {"strong_1", 2048, 128, kSolverFields});
  const int few = std::min(kLeastWeak, least), many = std::min(std::max(settings.most_ranks / kFactor, few * kFactor), settings.most_ranks);
  Figure small =
      strong_figure(settings, all_modes(), growing(few, many, kFactor), {"strong_small", kSmallSide, kSmallHeight, kSolverFields});
  Figure messages = message_figure(settings, all_modes(), least);
  for (Figure *figure : {&step, &solver}) figure->findings = {messages_catch_up(*figure), messages_overtake_in_strong_scaling(*figure)};
  small.findings = {messages_overtake_in_strong_scaling(small)};
  messages.findings = {messages_overtake(messages)};
  return {step, solver, small, messages};
}

}  // namespace simulate
