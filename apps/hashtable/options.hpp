// What a run is asked for, from the command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hashtable {

struct Options {
  std::vector<std::string> variants{"all"};
  std::int64_t inserts = 16384;  ///< of each rank
  std::int64_t buckets = 0;      ///< of each rank; 0: as many as inserts
  std::int64_t heap = 0;         ///< cells of each rank; 0: enough for all keys
  std::string keys = "random";   ///< or zipf
  std::int64_t universe = 0;     ///< different keys that may be drawn; 0: of random keys any, of zipf all ranks' inserts
  double exponent = 0.99;        ///< of zipf
  std::int64_t at_once = 64;     ///< requests of a rank that are under way in the variants that have several
  std::uint64_t seed = 1;
  int repeats = 5;
  bool check = false;
  std::uint64_t skew = 0;  ///< seed of random delays; 0: none
  std::string json;
};

/// Fills options from the command line; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace hashtable
