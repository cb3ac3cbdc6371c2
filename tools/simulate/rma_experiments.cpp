// Atomic operations and synchronisation of Gerstenberger et al., sections 2.3, 2.4, 3.1 and 3.2.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"
#include "findings.hpp"

#include <algorithm>
#include <cmath>

namespace simulate {

namespace {

constexpr double kWord = 8;
constexpr int kMaxNeighbours = 128, kBeyondRanks = 524288;

/// A job in which rank 0 reaches the first rank of the other of two nodes.
template <class Write>
double between_two_nodes(const Settings &settings, Write write) {
  Machine machine = settings.machine("bluewaters");
  machine.network.ranks_per_node = 1;
  Job job(2);
  Writer writer(job, machine, 0);
  writer.script().begin();
  write(writer);
  writer.script().end();
  return simulate::run(job, machine, settings.rounds).worst_us;
}

/// Atomic operations of the network on each element, none waiting for another. One call starts them.
void by_network(Writer &w, int elements) {
  const Network &network = w.machine().network;
  for (int i = 0; i < elements; ++i) {
    w.script().work(i == 0 || network.element_us <= 0 ? network.overhead_us : network.element_us);
    w.script().send({1, kNone, kWord, 0, kAcknowledged, Way::atomic});
  }
  w.script().wait(kAcknowledged, elements);
}

/// The target's window is locked, read, combined here, written back and unlocked (section 2.3).
void by_lock(Writer &w, int elements) {
  const double bytes = kWord * elements;
  w.atomic(1);
  w.script().work(w.machine().network.overhead_us);
  w.script().send({1, kNone, bytes, 0, kAcknowledged, Way::get});
  w.script().wait(kAcknowledged, 1);
  const double combine_us_per_byte = w.machine().network.combine_us_per_byte;
  w.script().work(combine_us_per_byte > 0 ? combine_us_per_byte * bytes : w.machine().copy_us(bytes));
  w.flush(w.put(1, bytes) ? 1 : 0);
  w.atomic(1);
}

/// The target's processor combines what a message brings, as this library does to other nodes.
void by_target(Writer &w, int elements) {
  const double bytes = kWord * elements;
  w.script().work(w.machine().network.overhead_us);
  w.script().send({1, kNone, bytes, 0, kAcknowledged, Way::put, w.machine().node.handover_us + w.machine().copy_us(bytes)});
  w.script().wait(kAcknowledged, 1);
}

Series over_elements(const Settings &settings, const char *name, void (*write)(Writer &, int), int most) {
  Series series{name, Origin::simulated, {}};
  for (const int elements : growing(1, most))
    series.points.push_back({kWord * elements, between_two_nodes(settings, [&](Writer &w) { write(w, elements); })});
  return series;
}

/// A synchronisation of all ranks in a ring, averaged over them.
double ring_us(const Settings &settings, const char *mode, int ranks, int k) {
  const Machine machine = settings.machine("bluewaters");
  const Job job = swap_job(mode, ring_pattern(ranks, k, 0), machine, {});
  return simulate::run(job, machine, settings.rounds).mean_us;
}

Series published(const char *name, const std::vector<int> &at, double (*us)(double)) {
  Series series{name, Origin::published, {}};
  for (const int x : at) series.points.push_back({static_cast<double>(x), us(x)});
  return series;
}

Figure fence_over_ranks(const Settings &settings, const std::vector<int> &ranks) {
  Figure figure{"fence", "Synchronisation of all ranks", "ranks", "us", "Gerstenberger et al., figure 4b; SC13: 6b"};
  figure.series = {{"fence", Origin::simulated, {}}};
  for (const int some : ranks) figure.series[0].points.push_back({static_cast<double>(some), ring_us(settings, "fence", some, 2)});
  figure.findings = {fence_grows_with_log_ranks(figure)};
  add_modelled(figure, {1.0 * ranks.back() * 4, kBeyondRanks}, settings.machine("bluewaters").network.ranks_per_node);
  figure.series.push_back(published("fence", ranks, [](double p) { return 2.9 * std::log2(p); }));
  return figure;
}

Figure pscw_over_ranks(const Settings &settings, const std::vector<int> &ranks) {
  Figure figure{"pscw", "PSCW of a ring, 2 neighbours", "ranks", "us", "Gerstenberger et al., figure 4c; SC13: 6c"};
  figure.series = {{"pscw", Origin::simulated, {}}};
  for (const int some : ranks) figure.series[0].points.push_back({static_cast<double>(some), ring_us(settings, "pscw", some, 2)});
  figure.findings = {pscw_does_not_depend_on_ranks(figure)};
  figure.series.push_back(published("pscw", ranks, [](double) { return 2 * 2 * 0.35 + 0.7 + 1.8; }));
  return figure;
}

Figure pscw_over_neighbours(const Settings &settings, int ranks) {
  // One rank per node, so that all words cross the network.
  Figure figure{"pscw_neighbours", "PSCW of a ring of " + std::to_string(ranks) + " ranks", "neighbours", "us",
                "Gerstenberger et al., section 3.2"};
  Settings alone = settings;
  alone.ranks_per_node = 1;
  figure.series = {{"pscw", Origin::simulated, {}}, {"fence", Origin::simulated, {}}};
  const std::vector<int> neighbours = growing(2, std::min(kMaxNeighbours, ranks / 2));
  for (const int k : neighbours)
    for (Series &series : figure.series) series.points.push_back({static_cast<double>(k), ring_us(alone, series.name.c_str(), ranks, k)});
  figure.findings = {pscw_costs_the_same_per_neighbour(figure), fence_overtakes_pscw(figure)};
  figure.series.push_back(published("pscw", neighbours, [](double k) { return 2 * k * 0.35 + 0.7 + 1.8; }));
  return figure;
}

}  // namespace

std::vector<Figure> atomic_operations(const Settings &settings) {
  Figure figure{"atomics", "Atomic operations on a rank of another node", "bytes", "us", "Gerstenberger et al., figure 4a; SC13: 6a"};
  constexpr int kMax = 1 << 15;
  figure.series = {over_elements(settings, "sum by the network", by_network, 1 << 12),
                   over_elements(settings, "get and put under a lock", by_lock, 1 << 12),
                   over_elements(settings, "sum by the target's processor", by_target, 1 << 12)};
  const auto bytes = growing(8, kMax);
  figure.series.push_back(published("sum by the network", bytes, [](double s) { return 0.028 * s + 2.4; }));
  figure.series.push_back(published("get and put under a lock", bytes, [](double s) { return 0.0008 * s + 7.3; }));
  figure.findings = {lock_overtakes_network(figure), is_near_published(figure, "get and put under a lock", 1.3),
                     is_near_published(figure, "sum by the network", 1.3)};
  return {figure};
}

std::vector<Figure> synchronisation(const Settings &settings) {
  // Rings of more than one node, so that all have the slowest link in them.
  const std::vector<int> ranks = growing(64, std::max(settings.most_ranks, 128));
  return {fence_over_ranks(settings, ranks), pscw_over_ranks(settings, ranks), pscw_over_neighbours(settings, 1024)};
}

}  // namespace simulate
