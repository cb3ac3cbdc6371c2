// Machines and numbers of ranks of experiments, and the functions that are fitted to their points.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"

#include <bench/model/fit.hpp>

#include <algorithm>

namespace simulate {

Machine Settings::machine(const std::string &published, const Sizes &sizes) const {
  Machine machine{node_of_card(card, sizes), network ? *network : published_network(published)};
  if (network) machine.network.ranks_per_node = published_network(published).ranks_per_node;
  if (ranks_per_node) machine.network.ranks_per_node = *ranks_per_node;
  if (latency_us) machine.network.latency_us = *latency_us;
  if (bandwidth_gbs) machine.network.us_per_byte = 1e-3 / *bandwidth_gbs;
  return machine;
}

std::vector<int> growing(int least, int most, int factor) {
  std::vector<int> all;
  for (int ranks = least; ranks <= most; ranks *= factor) all.push_back(ranks);
  return all;
}

namespace {

/// Functions of the nodes: rounds inside a node cost next to nothing.
hlc_model_case nodes_of(double ranks, int ranks_per_node) {
  hlc_model_case which{};
  which.ranks = std::max(ranks / ranks_per_node, 1.0);
  return which;
}

/// A function through these points but for the last `without`.
bench::Fit fit_over_nodes(const std::vector<Point> &points, int ranks_per_node, std::size_t without) {
  bench::CostPoints costs;
  for (std::size_t i = 0; i + without < points.size(); ++i) costs.push_back({nodes_of(points[i].x, ranks_per_node), 0, points[i].y});
  return bench::fit_curve(costs, {0, 1});
}

}  // namespace

void add_modelled(Figure &figure, const std::vector<double> &ranks, int ranks_per_node) {
  const std::size_t simulated = figure.series.size();
  std::vector<double> errors;
  for (std::size_t i = 0; i < simulated; ++i) {
    const std::vector<Point> points = figure.series[i].points;
    const bench::Fit fit = fit_over_nodes(points, ranks_per_node, 0);
    Series modelled{figure.series[i].name, Origin::modelled, {points.back()}};
    for (const double some : ranks) modelled.points.push_back({some, fit.predict(nodes_of(some, ranks_per_node))});
    figure.series.push_back(modelled);
    if (points.size() > 1) {
      const hlc_model_case most = nodes_of(points.back().x, ranks_per_node);
      errors.push_back(fit_over_nodes(points, ranks_per_node, 1).predict(most) / points.back().y - 1);
    }
  }
  if (errors.empty()) return;
  const bench::Errors error = bench::errors_of(errors);
  figure.note = "functions of the number of nodes, fitted to all ranks but the most, predict those with a median error of " +
                text_of(100 * error.median, 2) + "%, the worst " + text_of(100 * error.worst, 2) + "%";
}

const std::vector<Experiment> &experiments() {
  static const std::vector<Experiment> all{{"weak", "Brown et al., weak scaling", weak_scaling},
                                           {"strong", "Brown et al., strong scaling", strong_scaling},
                                           {"infiniband", "Brown et al., both on an SGI ICE", infiniband},
                                           {"ghost", "Simmendinger et al., halo exchange over the cells per rank", ghost_sweep},
                                           {"atomics", "Gerstenberger et al., atomic operations", atomic_operations},
                                           {"synchronisation", "Gerstenberger et al., fence and PSCW", synchronisation},
                                           {"motifs", "SC13, hashtable, sparse exchange and FFT", motifs}};
  return all;
}

}  // namespace simulate
