// The linear system (m + D) x = b, by conjugate gradients on the even sites: with x_odd = (b_odd - D x_even) / m there remains
//
//   (m^2 - D_eo D_oe) x_even = m b_even - D_eo b_odd        positive definite, as D is anti-Hermitian.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dslash.hpp"

#include <functional>
#include <string>

namespace lattice {

/// A field on both parities: even, odd.
template <class R>
using Fermion = std::array<std::vector<Vector<R>>, 2>;

/// Sums a number over all ranks: hlc_allreduce or MPI_Allreduce.
using Sum = std::function<double(double)>;
/// method: hlc or mpi. Collective; what it returns must not outlive the context.
Sum make_sum(const halocline::Context &context, const std::string &method);

struct Limits {
  double mass;
  double residual;  ///< of the even sites, relative to the right-hand side
  int iterations;
};

/// Called after iterations, with the residual of the last one.
using OnIteration = std::function<void(int iteration, double residual)>;

struct Outcome {
  int iterations = 0;
  double residual = 0;  ///< as the iteration knows it
  Times times;
};

template <class R>
class Solver {
 public:
  Solver(Dslash<R> &dslash, Sum sum, const Limits &limits, OnIteration on_iteration);
  /// Solves for x, beginning with 0. Collective.
  Outcome solve(const Fermion<R> &b, Fermion<R> &x);
  /// (m + D) x. Collective.
  void apply(const Fermion<R> &x, Fermion<R> &to);

 private:
  using Field = std::vector<Vector<R>>;
  double sum(double mine);
  Field right_side(const Fermion<R> &b);
  void iterate(Field &residual, Field &x, Outcome &outcome);
  double apply_squared(const Vector<R> *p);

  Dslash<R> &dslash_;
  Sum sum_;
  Limits limits_;
  OnIteration on_iteration_;
  Times times_;
  Field product_;  ///< (m^2 - D D) p
};

/// Sums of this rank's sites, in double precision.
template <class R>
double dot(const Vector<R> *a, const Vector<R> *b, std::size_t count);

}  // namespace lattice
