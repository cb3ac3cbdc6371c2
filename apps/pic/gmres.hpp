// Linear systems by GMRES and by conjugate gradients, both pipelined: a step has one sum over all ranks, which is under way while the
// operator is applied to the next vector. Vectors have a rank's own numbers one behind the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sums.hpp"

#include <cstddef>
#include <vector>

namespace pic {

/// Applies a matrix to a vector; swaps what it needs of the neighbours.
class Operator {
 public:
  virtual ~Operator() = default;
  virtual std::size_t size() const = 0;
  virtual void apply(const double *from, double *to) = 0;
};

struct Solved {
  int iterations = 0;
  double residual = 0;  ///< relative to the right-hand side
  double right = 0;     ///< norm of the right-hand side, of GMRES
};

struct Limits {
  double tolerance = 1e-10;  ///< of the residual, relative to the right-hand side
  int iterations = 200;
};

/// p1-GMRES of Ghysels, Ashby, Meerbergen, Vanroose (2013), algorithm 2, restarted. x: at first a guess; product: the matrix times the
/// guess. The residual of the result is computed from it at the end of each cycle, so the matrix is applied to it last.
Solved solve_gmres(Operator &matrix, Sums &sums, const Limits &limits, const std::vector<double> &right, std::vector<double> &x,
                   const std::vector<double> &product);

/// Pipelined conjugate gradients of Ghysels and Vanroose (2014), for symmetric matrices without negative eigenvalues. x begins with zeros.
Solved solve_cg(Operator &matrix, Sums &sums, const Limits &limits, const std::vector<double> &right, std::vector<double> &x);

}  // namespace pic
