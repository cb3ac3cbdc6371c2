// Simulated swaps beside measured ones: the results of halocline-bench halo on this machine, and the same swaps by the event model.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure.hpp"
#include "machine.hpp"
#include "swaps.hpp"

#include <string>
#include <vector>

namespace simulate {

struct Checked {
  std::string problem;  ///< "16 x 16 x 256, 29 fields", and what is not as in the cloud model: ", depth 1, star, float32, xyz, 2 nodes"
  std::string mode;
  int ranks = 0, cores = 0;
  double measured_us = 0, simulated_us = 0;

  double error() const { return simulated_us / measured_us - 1; }
};

/// Every mode of a file that can be simulated. `least`: the 10th percentile of the samples. Refusal if it is no such file, or of swaps that are not
/// simulated: with a skew, of several real nodes, or of emulated nodes where the card has no network.
std::vector<Checked> check_file(const std::string &path, const hlc_model *card, bool least);

/// Median and worst of |error|.
struct Error {
  double median = 0, worst = 0;
};
Error error_of(const std::vector<Checked> &all);

std::string table_of(const std::vector<Checked> &all);
common::Json json_of(const std::vector<Checked> &all);

/// Adds what was measured of the problem of that figure, in milliseconds over the ranks, for the modes that it has.
void add_measured(Figure &figure, const std::vector<Checked> &all);

}  // namespace simulate
