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
constexpr int kLeastWeak = 128, kLeastStrong = 2048, kBeyond = 4, kFactor = 4, kLeastHeight = 1, kMaxHeight = 1024;
/// The most ranks of figures 12 and 13 of which the text speaks.
constexpr int kMaxCirrus = 4096;
const std::vector<std::string> kPaperModes{"p2p_waitall", "fence", "pscw", "passive", "passive_naive"};
const std::vector<std::string> kLibraryModes{"p2p", "notify", "direct", "notify_node"};
const std::vector<std::string> kWeakModes{"fence_neighbours", "naive_neighbours", "pscw_late", "pscw_software"};
const std::vector<std::string> kMessagesAndRma{"p2p_waitall", "pscw", "passive"};
const std::vector<std::string> kCirrusModes{"p2p_waitall", "pscw_software", "fence_software"};

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
void add_points(Figure &figure, const Settings &settings, const std::string &network, const std::vector<Contender> &contenders,
                const HaloProblem &problem, double x) {
  const Pattern pattern = halo_pattern(problem, 2);
  const Machine machine = settings.machine(network, {bytes_of(pattern[0]), longest_of(pattern[0])});
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

std::vector<Contender> contenders_of(const std::vector<std::string> &modes) {
  std::vector<Contender> contenders;
  for (const std::string &mode : modes) contenders.push_back(contender_of(mode));
  return contenders;
}

/// Modes that the findings of a figure compare, and others, which are left out where findings alone are wanted.
std::vector<Contender> modes_of(const Settings &settings, std::vector<std::string> compared,
                                const std::vector<std::vector<std::string>> &others) {
  if (!settings.only_findings)
    for (const std::vector<std::string> &some : others)
      for (const std::string &mode : some)
        if (std::find(compared.begin(), compared.end(), mode) == compared.end()) compared.push_back(mode);
  return contenders_of(compared);
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

Figure weak_figure(const Settings &settings, const std::vector<Contender> &contenders, const std::vector<int> &ranks,
                   const std::string &network) {
  const std::string fields = text_of(settings.fields) + " fields";
  Figure figure{"weak", "Weak scaling: 16 x 16 x 256 cells per rank, " + fields, "ranks", "ms per swap",
                "Brown et al., figures 6, 10 and 11"};
  figure.measured_as = "16 x 16 x 256, " + fields;
  figure.network = json_of(settings.machine(network).network);
  for (const int some : ranks)
    add_points(figure, settings, network, contenders, columns(grid_of(some, 2), {16, 16, 256}, settings.fields), some);
  return figure;
}

Figure strong_figure(const Settings &settings, const std::vector<Contender> &contenders, const std::vector<int> &ranks,
                     const Domain &domain) {
  const std::string side = text_of(domain.side, 4), title = side + " x " + side + " x " + text_of(domain.height);
  Figure figure{domain.name, "Strong scaling: " + title + " cells, fields: " + text_of(domain.fields), "ranks", "ms per swap",
                "Brown et al., figure 7"};
  for (const int some : ranks) {
    const std::array<int, 3> grid = grid_of(some, 2);
    add_points(figure, settings, domain.network, contenders,
               columns(grid, {domain.side / grid[0], domain.side / grid[1], domain.height}, domain.fields), some);
  }
  return figure;
}

Figure message_figure(const Settings &settings, const std::vector<Contender> &contenders, int ranks) {
  Figure figure{"messages", "Blocks of 16 x 16 x n cells, 1 field, " + std::to_string(ranks) + " ranks", "bytes of the longest message",
                "ms per swap", "Brown et al., section V, on figures 7 to 9"};
  for (const int height : growing(kLeastHeight, kMaxHeight, kFactor)) {
    const HaloProblem problem = columns(grid_of(ranks, 2), {16, 16, 1.0 * height}, kSolverFields);
    add_points(figure, settings, "archer", contenders, problem, longest_of(halo_pattern(problem, 2)[0]));
  }
  return figure;
}

std::vector<Figure> weak_scaling(const Settings &settings) {
  std::vector<int> ranks = growing(std::min(kLeastWeak, settings.most_ranks), settings.most_ranks, kFactor);
  if (ranks.back() != settings.most_ranks) ranks.push_back(settings.most_ranks);
  std::vector<std::string> compared = kPaperModes;
  compared.insert(compared.end(), kWeakModes.begin(), kWeakModes.end());
  Figure figure = weak_figure(settings, modes_of(settings, compared, {kLibraryModes}), ranks);
  for (const Windows windows : {Windows::neighbours, Windows::all_ranks})
    figure.findings.insert(figure.findings.end(), {fence_falls_behind(figure, windows), fence_is_competitive_on_few_ranks(figure, windows),
                                                   adopted_passive_beats_naive(figure, windows), naive_loses_to_messages(figure, windows),
                                                   pscw_is_near_passive(figure, windows)});
  figure.findings.insert(figure.findings.end(), {passive_beats_messages(figure), pscw_beats_messages(figure), early_epochs_pay(figure),
                                                 hardware_path_pays(figure), software_rma_does_not_beat_messages(figure)});
  add_modelled(figure, beyond(ranks), settings.machine("archer").network.ranks_per_node);
  return {figure};
}

std::vector<Figure> strong_scaling(const Settings &settings) {
  // Two numbers of ranks at least: the findings are about how a time changes.
  const int least = std::min(kLeastStrong, std::max(settings.most_ranks / kFactor, 2));
  const std::vector<int> ranks = growing(least, settings.most_ranks);
  const std::vector<Contender> modes = modes_of(settings, kMessagesAndRma, {kPaperModes, kLibraryModes});
  Figure step = strong_figure(settings, modes, ranks, {"strong_29", 2048, 128, kFields});
  Figure solver = strong_figure(settings, modes, ranks, {"strong_1", 2048, 128, kSolverFields});
  const int few = std::min(kLeastWeak, least), many = std::min(std::max(settings.most_ranks / kFactor, few * kFactor), settings.most_ranks);
  Figure small = strong_figure(settings, modes, growing(few, many, kFactor), {"strong_small", kSmallSide, kSmallHeight, kSolverFields});
  Figure messages = message_figure(settings, modes, least);
  for (Figure *figure : {&step, &solver}) figure->findings = {messages_catch_up(*figure), messages_overtake_in_strong_scaling(*figure)};
  small.findings = {messages_overtake_in_strong_scaling(small)};
  messages.findings = {messages_overtake(messages)};
  return {step, solver, small, messages};
}

std::vector<Figure> infiniband(const Settings &settings) {
  const int most = std::min(settings.most_ranks, kMaxCirrus), weak_least = std::min(kLeastWeak, std::max(most / kFactor, 2)),
            strong_least = std::max(most / kFactor, 2);
  const std::vector<Contender> modes = modes_of(settings, kCirrusModes, {{"pscw", "notify"}});
  std::vector<Figure> figures{weak_figure(settings, modes, growing(weak_least, most), "cirrus"),
                              strong_figure(settings, modes, growing(strong_least, most), {"", 2048, 128, kFields, "cirrus"}),
                              strong_figure(settings, modes, growing(strong_least, most), {"", 2048, 128, kSolverFields, "cirrus"})};
  const char *const names[] = {"cirrus_weak", "cirrus_strong_29", "cirrus_strong_1"};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    figures[i].name = names[i], figures[i].after = i == 0 ? "Brown et al., figure 12" : "Brown et al., figure 13";
    figures[i].title += ", on InfiniBand", figures[i].measured_as.clear();
    figures[i].findings = {software_rma_loses_on_infiniband(figures[i])};
  }
  return figures;
}

}  // namespace simulate
