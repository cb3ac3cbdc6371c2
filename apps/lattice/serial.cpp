// SPDX-License-Identifier: BSD-3-Clause
#include "serial.hpp"

namespace lattice {
namespace {

using SerialField = std::vector<Vector<double>>;

Vector<double> sum_of(const Vector<double> &a, double factor, const Vector<double> &b) {
  Vector<double> result;
  for (int c = 0; c < 3; ++c) result.c[c] = a.c[c] + factor * b.c[c];
  return result;
}

double product_of(const SerialField &a, const SerialField &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int c = 0; c < 3; ++c) sum += a[i].c[c].re * b[i].c[c].re + a[i].c[c].im * b[i].c[c].im;
  return sum;
}

class SerialOperator {
 public:
  explicit SerialOperator(const SerialProblem &problem) : problem_(problem) {}

  /// D f, on all sites.
  SerialField apply(const SerialField &f) const {
    SerialField result;
    for_sites({}, problem_.extents, [&](const Site &x) { result.push_back(at(f, x)); });
    return result;
  }

  /// m^2 f - D D f.
  SerialField apply_squared(const SerialField &f) const {
    SerialField result = apply(apply(f));
    const double m = problem_.limits.mass;
    for (std::size_t i = 0; i < f.size(); ++i) result[i] = sum_of(sum_of({}, m * m, f[i]), -1, result[i]);
    return result;
  }

 private:
  Vector<double> at(const SerialField &f, const Site &x) const {
    Vector<double> sum;
    double eta = 1;
    for (int d = 0; d < kDims; ++d) {
      sum = sum_of(sum, eta / 2 * (problem_.naik ? 9.0 / 8 : 1), difference(f, x, d, 1));
      if (problem_.naik) sum = sum_of(sum, -eta / 2 / 24, difference(f, x, d, 3));
      if (x[d] % 2 == 1) eta = -eta;
    }
    return sum;
  }

  /// f that is carried `steps` sites to x against direction d, less f that is carried along it.
  Vector<double> difference(const SerialField &f, const Site &x, int d, int steps) const {
    Site ahead = x, behind = x;
    Matrix<double> forth = unit<double>(), back = unit<double>();
    double end = 1, beginning = 1;
    for (int i = 0; i < steps; ++i) {
      forth = forth * problem_.links[number_of(ahead, problem_.extents)][d];
      if (++ahead[d] == problem_.extents[d]) {
        ahead[d] = 0;
        end = d == 3 ? -end : end;
      }
      if (behind[d]-- == 0) {
        behind[d] = problem_.extents[d] - 1;
        beginning = d == 3 ? -beginning : beginning;
      }
      back = back * adjoint(problem_.links[number_of(behind, problem_.extents)][d]);
    }
    const Vector<double> from_ahead = sum_of({}, end, forth * f[number_of(ahead, problem_.extents)]);
    return sum_of(from_ahead, -beginning, back * f[number_of(behind, problem_.extents)]);
  }

  const SerialProblem &problem_;
};

/// The field on the sites of one parity, 0 on the others.
SerialField of_parity(SerialField f, const Site &extents, int parity) {
  for_sites({}, extents, [&](const Site &x) {
    if (parity_of(x) != parity) f[number_of(x, extents)] = {};
  });
  return f;
}

SerialField conjugate_gradients(const SerialOperator &op, SerialField r, const Limits &limits, const OnIteration &on_iteration) {
  SerialField x(r.size()), p = r;
  const double begin = product_of(r, r);
  double square = begin;
  for (int i = 0; i < limits.iterations && square > limits.residual * limits.residual * begin; ++i) {
    const SerialField product = op.apply_squared(p);
    const double step = square / product_of(p, product), before = square;
    for (std::size_t k = 0; k < r.size(); ++k) {
      x[k] = sum_of(x[k], step, p[k]);
      r[k] = sum_of(r[k], -step, product[k]);
    }
    square = product_of(r, r);
    on_iteration(i + 1, std::sqrt(square / begin));
    for (std::size_t k = 0; k < r.size(); ++k) p[k] = sum_of(r[k], square / before, p[k]);
  }
  return x;
}

}  // namespace

std::vector<Vector<double>> solve_serially(const SerialProblem &problem, const OnIteration &on_iteration) {
  const SerialOperator op(problem);
  const double m = problem.limits.mass;
  const SerialField even = of_parity(problem.b, problem.extents, 0), odd = of_parity(problem.b, problem.extents, 1);
  SerialField right = op.apply(odd);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = sum_of(sum_of({}, m, even[i]), -1, right[i]);
  SerialField x = conjugate_gradients(op, right, problem.limits, on_iteration);
  const SerialField moved = op.apply(x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = sum_of(x[i], 1 / m, sum_of(odd[i], -1, moved[i]));
  return x;
}

}  // namespace lattice
