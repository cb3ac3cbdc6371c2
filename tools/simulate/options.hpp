// The command line of halocline-simulate.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace simulate {

struct Options {
  std::vector<std::string> experiments{"all"};
  std::string card;     ///< a machine card's file; empty: the one of this host, or the default one
  std::string network;  ///< of all experiments, instead of that of their papers; "card": of the machine card
  std::vector<std::string> check;  ///< results of halocline-bench halo
  std::vector<std::string> measured;  ///< such results, for the figures
  bool least = false;   ///< the check takes the 10th percentile of samples instead of the median
  std::string noise_shape{"exponential"};
  int spread = 0;       ///< seeds with which each finding is tried, under several delays of the ranks; 0: it is not
  std::string json;
  bool progress = false;  ///< on stderr even where that is no terminal
  Settings settings{};
};

/// Returns -1 if there is something to do, else an exit status, with the text to print.
int parse(int argc, char **argv, Options &options, std::string &text);

}  // namespace simulate
