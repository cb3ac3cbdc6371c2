// The same problem on one rank, in code of its own: coordinates instead of tables, the whole lattice instead of parities and ghosts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver.hpp"

namespace lattice {

/// Fields over the whole lattice, x fastest.
struct SerialProblem {
  Site extents;
  std::vector<Links4> links;
  std::vector<Vector<double>> b;
  Limits limits;
  bool naik;
};

/// x of (m + D) x = b, by as many steps of the same algorithm as it takes here.
std::vector<Vector<double>> solve_serially(const SerialProblem &problem, const OnIteration &on_iteration);

}  // namespace lattice
