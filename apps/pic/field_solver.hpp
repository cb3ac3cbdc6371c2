// The implicit field: (I + theta dt M + (theta dt)^2 curl curl) E' = E + theta dt (curl B - J), for E' = E at n + theta.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gmres.hpp"
#include "moments.hpp"
#include "operators.hpp"
#include "swaps.hpp"

namespace pic {

class FieldSolver : public Operator {
 public:
  /// step: theta dt. Collective.
  FieldSolver(const Setup &setup, const Array &moments, double step);

  std::size_t size() const override { return 3 * block_.own_cells(); }
  void apply(const double *from, double *to) override;
  /// Solves for E'; `electric` is E, with its halo, and the guess. Afterwards new_field() has E', with its halo.
  Solved solve(const Array &electric, const Array &curl_of_magnetic, Sums &sums, const Limits &limits);
  const Array &new_field() const { return field_; }

 private:
  void multiply_mass(bool inner, double *to) const;
  void add_curl_curl(double *to);

  const Block &block_;
  const Array &moments_;
  double step_;
  PairOffsets pairs_;
  Array field_, curl_, curl_curl_;
  Swaps swaps_;
  std::vector<double> right_, x_, product_;
};

}  // namespace pic
