// What a state is: conserved sums, extremes, a fingerprint of all bits; and how far it is from an analytic solution.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fluid.hpp"

#include <string>
#include <vector>

namespace boltzmann {

/// Of the whole lattice. Sums do not depend on the decomposition.
struct State {
  double mass = 0, order = 0, kinetic = 0;
  double momentum[kDims] = {};  ///< at the end of the step
  double fastest = 0, least_phi = 0, most_phi = 0;
  std::uint64_t fingerprint = 0;  ///< of all distributions, with their places
  bool is_number() const;
};

/// Collective.
State observe(const halocline::Context &context, Fluid &fluid);

/// The first of all ranks, in words; empty if the fluid has not been too fast. Collective.
std::string where(const Domain &domain, TooFast mine);

/// A comparison with what is known.
struct Comparison {
  std::string what;
  double found = 0, right = 0;
  double error = 0;  ///< relative
  bool is_right() const { return error <= kAllowed; }
  static constexpr double kAllowed = 0.01;
};

/// Why a problem of this size can't be compared with what is known; empty: it can.
std::string why_no_comparison(const Options &options, const Domain &domain);

/// All that is known of a problem at this step. Collective.
std::vector<Comparison> compare(const halocline::Context &context, const Options &options, Fluid &fluid);

/// Where a problem begins: by coordinates in the whole lattice.
std::function<Site(const std::array<std::int64_t, kDims> &)> beginning(const Options &options, const Domain &domain);

}  // namespace boltzmann
