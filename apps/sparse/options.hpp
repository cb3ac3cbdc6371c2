// What a run is asked for, from the command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparse {

struct Options {
  std::vector<std::string> protocols{"all"};
  int neighbours = 6;
  std::int64_t bytes = 8;
  bool vary = false;  ///< sizes from 0 to bytes
  int exchanges = 100;
  int repeats = 5;
  int slots = 0;  ///< of the library's exchange
  std::uint64_t seed = 1;
  bool check = false;
  std::uint64_t skew = 0;  ///< seed of random delays; 0: none
  std::string json;
};

/// Fills options from the command line; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace sparse
