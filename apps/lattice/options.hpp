// What a run is asked for, from the command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lattice {

struct Options {
  std::vector<std::string> variants{"all"};
  std::vector<std::int64_t> local{4, 4, 4, 8};  ///< sites of each rank, if global is empty
  std::vector<std::int64_t> global;
  std::vector<int> ranks{0, 0, 0, 0};  ///< 0: chosen
  std::string start = "hot";
  std::string read, write;
  int write_rows = 3;
  std::string write_numbers = "IEEE64BIG";
  double mass = 0.1;
  bool naik = false;
  std::string precision = "double";
  double residual = 0;  ///< 0: by the precision
  int iterations = 10000;
  std::string dots = "hlc";
  std::uint64_t seed = 1;
  int repeats = 5;
  bool check = false;
  std::uint64_t skew = 0;  ///< seed of random delays; 0: none
  std::string json;
  std::string solution;  ///< the file for right-hand side and solution
};

/// Fills options from the command line; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace lattice
