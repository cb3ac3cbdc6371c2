// The experiments of the papers, by name. Each simulates its figures and decides what the papers found.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure.hpp"
#include "machine.hpp"
#include "simulation.hpp"
#include "swaps.hpp"

#include <functional>
#include <optional>

namespace simulate {

/// What an experiment may be told beyond its paper.
struct Settings {
  const hlc_model *card = nullptr;          ///< of the nodes
  std::optional<Network> network;           ///< instead of the published one
  std::optional<int> ranks_per_node;
  std::optional<double> latency_us, bandwidth_gbs;
  double compute_ns = 40;                   ///< of a rank for a cell of a field between swaps of the cloud model, docs/simulation.md
  double noise = 0.05;                      ///< mean delay of a rank before a swap, in parts of the computation before it
  bool only_findings = false;               ///< of the modes of a figure those alone that its findings compare
  bool barrier = false;                     ///< before each swap of a scaling experiment, not in its time
  double fields = 29;                       ///< of the cloud model in weak scaling
  int most_ranks = 32768;                   ///< that are simulated
  Rounds rounds{1, 2, 1};

  /// The machine of an experiment whose paper used that network.
  Machine machine(const std::string &published, const Sizes &sizes = {}) const;
};

struct Experiment {
  const char *name, *what;
  std::vector<Figure> (*run)(const Settings &);
};
const std::vector<Experiment> &experiments();

/// Numbers from `least` to `most`, each `factor` times the one before.
std::vector<int> growing(int least, int most, int factor = 2);

std::vector<Figure> weak_scaling(const Settings &settings);
std::vector<Figure> strong_scaling(const Settings &settings);
std::vector<Figure> infiniband(const Settings &settings);
std::vector<Figure> ghost_sweep(const Settings &settings);
std::vector<Figure> atomic_operations(const Settings &settings);
std::vector<Figure> synchronisation(const Settings &settings);
std::vector<Figure> motifs(const Settings &settings);

/// A mode, or a protocol in the place of one, whose times are simulated over the ranks.
struct Contender {
  std::string name;
  std::function<Job(const Pattern &, const Machine &, const Between &)> job;
};
Contender contender_of(const std::string &mode);

/// Cells of all ranks together, in strong scaling.
struct Domain {
  std::string name;
  double side = 2048, height = 128, fields = 1;
  std::string network = "archer";
};

/// Brown et al., figures 6, 7, 10 and 11, with any contenders: their times over the ranks, on the nodes of that network.
Figure weak_figure(const Settings &settings, const std::vector<Contender> &contenders, const std::vector<int> &ranks,
                   const std::string &network = "archer");
Figure strong_figure(const Settings &settings, const std::vector<Contender> &contenders, const std::vector<int> &ranks,
                     const Domain &domain);

/// The same over the bytes of the longest message, with one field and so many ranks.
Figure message_figure(const Settings &settings, const std::vector<Contender> &contenders, int ranks);

/// How the FFT transposes: in so many parts, each of which is sent as soon as it is computed, by puts or by messages.
struct Transposition {
  std::string name;
  int parts = 1;
  bool puts = false;
};

/// Gerstenberger et al., figure 5: its speed over the ranks.
Figure fft_figure(const Settings &settings, const std::vector<Transposition> &variants, const std::vector<int> &ranks);

/// Adds functions of the nodes, fitted to the simulated series, at these ranks.
void add_modelled(Figure &figure, const std::vector<double> &ranks, int ranks_per_node);

}  // namespace simulate
