// What a run is asked for, from the command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fft {

struct Options {
  std::string name = "S";             ///< of the class
  std::vector<int> size;              ///< instead of a class: points in x, y, z
  int iterations = 0;                 ///< 0: the class's
  std::string decomposition = "slab";  ///< or pencil
  std::vector<int> grid;              ///< of pencils: ranks of the first and the second group; empty: as square as possible
  std::vector<std::string> variants{"all"};
  int repeats = 5;
  bool check = false;
  std::uint64_t skew = 0;  ///< seed of random delays; 0: none
  std::string json;
};

/// Fills options from the command line; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace fft
