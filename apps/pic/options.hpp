// What a run is asked for: the case file and the command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pic {

/// Units: the speed of light and the permittivity are 1, and so is the plasma frequency of a species of charge, mass and density 1. Lists
/// of species have an entry for each.
struct Options {
  std::string title = "untitled", source;
  std::vector<std::int64_t> cells{32, 1, 1};
  std::vector<double> length{1, 1, 1};
  std::vector<int> ranks{0, 0, 0};  ///< 0: chosen
  double time_step = 0.1;
  std::int64_t steps = 10;
  double theta = 0.5;
  double tolerance = 1e-10;

  std::vector<std::string> species;
  std::vector<double> charge, mass, density;
  std::vector<std::int64_t> per_cell;
  std::vector<double> thermal_speed, drift;  ///< standard deviation of each component; along x
  std::string start = "quiet";
  std::uint64_t seed = 1;
  std::vector<std::int64_t> mode{1, 0, 0};  ///< wavelengths in the domain: of the perturbation, and of what the history shows
  double perturbation = 0;  ///< of the first species' density, relative
  double wave = 0;  ///< amplitude of a standing light wave along `mode`

  double sheet_field = 0;  ///< of two Harris sheets across y; 0: none
  double sheet_thickness = 0.5, sheet_background = 0.2, sheet_perturbation = 0.1;
  double sheet_temperature_ratio = 5;  ///< ions over electrons

  bool correct_charge = true;
  double correction_weight = 0.51, correction_tolerance = 1e-2;

  std::vector<std::string> variants{"auto:overlapped:sparse"};
  std::string history, output, checkpoint, restart;
  std::int64_t history_every = 1;
  std::int64_t output_every = 0, checkpoint_every = 0;  ///< 0: at the end only
  bool meet = false;  ///< before they communicate, so that waiting for slow ones is told apart
  std::string json;
};

/// Fills options; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace pic
