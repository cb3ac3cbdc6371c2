// What a run is asked for, from the command line and a case file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace boltzmann {

/// All quantities are in lattice units: the spacing, the time step and the mean density are 1.
struct Options {
  std::string problem = "taylor_green";        ///< rest, poiseuille, taylor_green, drop or spinodal
  std::vector<std::int64_t> local{12, 12, 16};  ///< sites of each rank, if global is empty
  std::vector<std::int64_t> global;
  std::vector<int> ranks{0, 0, 0};  ///< 0: chosen
  std::vector<int> walls{0, 0, 0};  ///< 1: the domain ends in walls along this dimension
  int steps = 100;
  double viscosity = 1.0 / 6;
  std::vector<double> force{0, 0, 0};  ///< per volume
  double speed = 0.02;                 ///< of the vortices at the start
  // The second fluid: the bulk free energy is bulk (-phi^2 / 2 + phi^4 / 4), the gradients' kappa / 2 |grad phi|^2.
  std::string order_parameter = "none";  ///< none: one fluid; lb: distributions of its own; fd: finite differences
  double bulk = 0.0625, kappa = 0.04, mobility = 0.15;
  double radius = 0;  ///< of the drop; 0: a quarter of the shortest side
  double noise = 0.05;
  std::uint64_t seed = 1;

  std::vector<std::string> variants{"auto"};
  std::string halo = "reduced";  ///< or full
  bool overlap = false;
  int repeats = 0;
  bool check = false;
  std::uint64_t skew = 0;  ///< seed of random delays; 0: none
  int report_every = 0, output_every = 0;  ///< steps; 0: at the end
  std::string output, checkpoint, restart, json;

  bool is_binary() const { return order_parameter != "none"; }
};

/// Fills options from the command line; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace boltzmann
