// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace lattice {
namespace {

/// to = a + factor b; to may be a or b.
template <class R>
void add(Vector<R> *to, const Vector<R> *a, R factor, const Vector<R> *b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) to[i].c[c] = a[i].c[c] + factor * b[i].c[c];
}

/// to = factor a - b; to may be a or b.
template <class R>
void subtract_from(Vector<R> *to, R factor, const Vector<R> *a, const Vector<R> *b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) to[i].c[c] = factor * a[i].c[c] - b[i].c[c];
}

double sum_by_mpi(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

}  // namespace

template <class R>
double dot(const Vector<R> *a, const Vector<R> *b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c)
      sum += static_cast<double>(a[i].c[c].re) * static_cast<double>(b[i].c[c].re) +
             static_cast<double>(a[i].c[c].im) * static_cast<double>(b[i].c[c].im);
  return sum;
}

Sum make_sum(const halocline::Context &context, const std::string &method) {
  if (method == "mpi") return sum_by_mpi;
  const auto plan = std::make_shared<halocline::Allreduce<double>>(context, 1, halocline::Reduction::sum, "dots");
  return [plan](double mine) {
    plan->run(&mine);
    return mine;
  };
}

template <class R>
Solver<R>::Solver(Dslash<R> &dslash, Sum sum, const Limits &limits, OnIteration on_iteration)
    : dslash_(dslash),
      sum_(std::move(sum)),
      limits_(limits),
      on_iteration_(std::move(on_iteration)),
      product_(static_cast<std::size_t>(dslash.geometry().half())) {}

template <class R>
double Solver<R>::sum(double mine) {
  const double begin = MPI_Wtime();
  const double all = sum_(mine);
  times_.dots += MPI_Wtime() - begin;
  return all;
}

template <class R>
void Solver<R>::apply(const Fermion<R> &x, Fermion<R> &to) {
  for (int parity = 0; parity < 2; ++parity) {
    std::copy(x[parity].begin(), x[parity].end(), dslash_.next(parity));
    Field &other = to[1 - parity];
    dslash_.apply(parity, other.data(), times_);
    add(other.data(), other.data(), static_cast<R>(limits_.mass), x[1 - parity].data(), other.size());
  }
}

/// m b_even - D_eo b_odd.
template <class R>
typename Solver<R>::Field Solver<R>::right_side(const Fermion<R> &b) {
  Field right(b[0].size());
  std::copy(b[1].begin(), b[1].end(), dslash_.next(1));
  dslash_.apply(1, right.data(), times_);
  subtract_from(right.data(), static_cast<R>(limits_.mass), b[0].data(), right.data(), right.size());
  return right;
}

template <class R>
Outcome Solver<R>::solve(const Fermion<R> &b, Fermion<R> &x) {
  times_ = {};
  Outcome outcome;
  const double begin = MPI_Wtime();
  Field residual = right_side(b);
  iterate(residual, x[0], outcome);
  std::copy(x[0].begin(), x[0].end(), dslash_.next(0));
  dslash_.apply(0, x[1].data(), times_);
  subtract_from(x[1].data(), R{1}, b[1].data(), x[1].data(), x[1].size());
  for (Vector<R> &v : x[1])
    for (Complex<R> &value : v.c) value = static_cast<R>(1 / limits_.mass) * value;
  times_.total = MPI_Wtime() - begin;
  outcome.times = times_;
  return outcome;
}

/// (m^2 - D D) p for p in next(even). Returns this rank's part of its scalar product with p.
template <class R>
double Solver<R>::apply_squared(const Vector<R> *p) {
  dslash_.apply(0, dslash_.next(1), times_);
  dslash_.apply(1, product_.data(), times_);
  subtract_from(product_.data(), static_cast<R>(limits_.mass * limits_.mass), p, product_.data(), product_.size());
  return dot(p, product_.data(), product_.size());
}

/// residual: at first the right-hand side.
template <class R>
void Solver<R>::iterate(Field &residual, Field &x, Outcome &outcome) {
  const std::size_t count = x.size();
  std::fill(x.begin(), x.end(), Vector<R>{});
  std::copy(residual.begin(), residual.end(), dslash_.next(0));
  const double begin = sum(dot(residual.data(), residual.data(), count));
  const double enough = limits_.residual * limits_.residual * begin;
  double square = begin;
  while (square > enough && outcome.iterations < limits_.iterations) {
    const Vector<R> *p = dslash_.next(0);
    const double curvature = sum(apply_squared(p));
    const double step = square / curvature;
    add(x.data(), x.data(), static_cast<R>(step), p, count);
    add(residual.data(), residual.data(), static_cast<R>(-step), product_.data(), count);
    const double before = std::exchange(square, sum(dot(residual.data(), residual.data(), count)));
    add(dslash_.next(0), residual.data(), static_cast<R>(square / before), p, count);
    if (++outcome.iterations % 10 == 0) on_iteration_(outcome.iterations, std::sqrt(square / begin));
  }
  outcome.residual = begin > 0 ? std::sqrt(square / begin) : 0;
}

template class Solver<float>;
template class Solver<double>;
template double dot<float>(const Vector<float> *, const Vector<float> *, std::size_t);
template double dot<double>(const Vector<double> *, const Vector<double> *, std::size_t);

}  // namespace lattice
