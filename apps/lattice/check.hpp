// What --check tries beside the comparison with a serial run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

namespace lattice {

/// Something that was tried: what it is, how far it is off, and how far it may be.
struct Trial {
  std::string what;
  double off, limit;
  bool is_right() const { return off <= limit; }
};

/// Tries that need no variant: links, operator, free field, gauge transformation. All in double precision. Collective.
std::vector<Trial> trials(const Problem &problem);

/// |b - (m + D) x| m / |m b_even - D b_odd|, by the full operator in double precision: what the iteration's residual should be.
/// Collective.
double recomputed_residual(const Problem &problem, const Fermion<double> &x);

}  // namespace lattice
