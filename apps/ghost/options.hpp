// What a run is asked for, from the command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "index.hpp"

#include <common/program.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ghost {

struct Options {
  std::vector<std::string> variants{"all"};
  std::vector<std::int64_t> global;  ///< cells of the whole grid along x, y, z; none: `local` along each side of each rank's block
  std::int64_t local = 16;
  std::vector<int> ranks;  ///< ranks along x, y, z; none: chosen
  int variables = 5;
  int stencil = 7;       ///< 7 or 27 points
  std::string periodic;  ///< dimensions whose sides are joined, as "xz"
  int steps = 20;
  int repeats = 5;
  bool check = false;
  std::uint64_t skew = 0;  ///< seed of random delays; 0: none
  std::string json;

  bool is_periodic(int d) const { return periodic.find("xyz"[d]) != std::string::npos; }
  /// Whether a stencil reads cells in direction v: across faces alone, or across edges and corners, too.
  bool reads(const Index &v) const { return stencil == 27 ? crossed(v) > 0 : crossed(v) == 1; }
};

/// Fills options from the command line; returns what there is to print if nothing is to run.
std::optional<common::Answer> parse(int argc, char **argv, Options &options);

}  // namespace ghost
