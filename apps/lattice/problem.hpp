// What all variants solve: the decomposed lattice, its links, the right-hand side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "serial.hpp"

namespace lattice {

class Problem {
 public:
  /// Collective.
  Problem(const halocline::Context &context, const Options &options, common::Skew &skew);

  /// For gathers of Vector<R>.
  template <class R>
  Setup setup() const {
    return {context, geometry, sizeof(Vector<R>), skew};
  }
  Limits limits() const { return {options.mass, options.residual, options.iterations}; }

  const halocline::Context &context;
  const Options &options;
  common::Skew &skew;
  halocline::Grid cells;  ///< of 2^4 sites
  Geometry geometry;
  GaugeField gauge;
  Terms<double> terms;
  Fermion<double> b;
};

/// An empty field.
template <class R>
Fermion<R> make_fermion(const Geometry &geometry) {
  const auto half = static_cast<std::size_t>(geometry.half());
  return {std::vector<Vector<R>>(half), std::vector<Vector<R>>(half)};
}

/// A field given by its value at each site of the block, which has these coordinates there.
Fermion<double> make_fermion(const Geometry &geometry, const std::function<Vector<double>(const Site &)> &value);

/// The same field in another precision.
template <class To, class From>
Fermion<To> converted(const Fermion<From> &from) {
  Fermion<To> to;
  for (int parity = 0; parity < 2; ++parity)
    for (const Vector<From> &v : from[parity]) {
      Vector<To> value;
      for (int c = 0; c < 3; ++c) value.c[c] = {static_cast<To>(v.c[c].re), static_cast<To>(v.c[c].im)};
      to[parity].push_back(value);
    }
  return to;
}

/// The square of the norm, over all ranks.
double norm2(const Fermion<double> &field);
/// a - b.
Fermion<double> difference(const Fermion<double> &a, const Fermion<double> &b);

/// The solution of a serial run on the sites of this rank. It reads a file by itself, and draws random links by itself.
Fermion<double> serial_solution(const Problem &problem, const OnIteration &on_iteration);

}  // namespace lattice
