// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <common/comm.hpp>

#include <cmath>

namespace lattice {
namespace {

/// The operator of some links, with swaps by messages.
class Tested {
 public:
  Tested(const Problem &problem, const Terms<double> &terms, const Limits &limits)
      : gather_(make_messages(problem.setup<double>())),
        dslash_(problem.geometry, terms, *gather_),
        solver_(dslash_, make_sum(problem.context, "mpi"), limits, [](int, double) {}) {}

  /// (m + D) f.
  Fermion<double> operator()(const Fermion<double> &f) {
    Fermion<double> result = f;
    solver_.apply(f, result);
    return result;
  }
  Fermion<double> solve(const Fermion<double> &b) {
    Fermion<double> x = b;
    solver_.solve(b, x);
    return x;
  }

 private:
  std::unique_ptr<Gather> gather_;
  Dslash<double> dslash_;
  Solver<double> solver_;
};

Limits without_mass(Limits limits) {
  limits.mass = 0;
  return limits;
}

double scalar_product(const Fermion<double> &a, const Fermion<double> &b) {
  double sum = 0;
  for (int parity = 0; parity < 2; ++parity) sum += dot(a[parity].data(), b[parity].data(), a[parity].size());
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// The largest component of a difference, relative to that of the right field.
double distance(const Fermion<double> &is, const Fermion<double> &right) {
  double most = 0, largest = 0;
  for (int parity = 0; parity < 2; ++parity)
    for (std::size_t i = 0; i < is[parity].size(); ++i)
      for (int c = 0; c < 3; ++c) {
        const double off = std::sqrt(norm2(is[parity][i].c[c] - right[parity][i].c[c]));
        most = off <= most ? most : off;
        largest = std::max(largest, std::sqrt(norm2(right[parity][i].c[c])));
      }
  return common::slowest(most, MPI_COMM_WORLD) / common::slowest(largest, MPI_COMM_WORLD);
}

/// Real part of (a, D b) + (D a, b), over |a| |b|.
Trial try_anti_hermitian(const Problem &problem) {
  Tested d(problem, problem.terms, without_mass(problem.limits()));
  const Block &block = problem.geometry.block();
  const Fermion<double> a = make_fermion(
      problem.geometry, [&](const Site &x) { return random_vector({problem.options.seed + 1, Purpose::source, block.global_number(x)}); });
  const double sum = scalar_product(a, d(problem.b)) + scalar_product(d(a), problem.b);
  return {"D is anti-Hermitian", std::abs(sum) / std::sqrt(norm2(a) * norm2(problem.b)), 1e-12};
}

/// The eigenvalue of -D D for a plane wave without gauge field: the sum of the squares of c1 sin p + c3 sin 3 p.
double eigenvalue(const std::array<double, kDims> &momentum, bool naik) {
  double sum = 0;
  for (const double p : momentum) sum += std::pow(naik ? 9.0 / 8 * std::sin(p) - std::sin(3 * p) / 24 : std::sin(p), 2);
  return sum;
}

Trial try_free_field(const Problem &problem) {
  constexpr double full_circle = 6.283185307179586;
  const Block &block = problem.geometry.block();
  GaugeField unity(problem.setup<double>());
  unity.set([](const Site &) { return Links4{unit<double>(), unit<double>(), unit<double>(), unit<double>()}; });
  const Terms<double> terms = make_terms<double>(problem.setup<double>(), unity, problem.options.naik);
  Tested d(problem, terms, without_mass(problem.limits()));
  std::array<double, kDims> momentum{};
  for (int i = 0; i < kDims; ++i) momentum[i] = full_circle * (i == 3 ? 0.5 : 1.0) / static_cast<double>(block.global[i]);
  const auto wave = [&](double factor) {
    return make_fermion(problem.geometry, [&](const Site &x) {
      const Site site = block.global_of(x);
      double phase = 0;
      for (int i = 0; i < kDims; ++i) phase += momentum[i] * static_cast<double>(site[i]);
      Vector<double> v;
      for (int c = 0; c < 3; ++c) v.c[c] = {factor * (c + 1) * std::cos(phase), factor * (c + 1) * std::sin(phase)};
      return v;
    });
  };
  const Fermion<double> wanted = wave(-eigenvalue(momentum, problem.options.naik));
  return {"D D of a plane wave", std::sqrt(norm2(difference(d(d(wave(1))), wanted)) / norm2(wave(1))), 1e-13};
}

/// Plaquette, and the solution: that of transformed links and right-hand side is the transformed solution.
std::vector<Trial> try_gauge_invariance(const Problem &problem) {
  const std::uint64_t seed = problem.options.seed;
  const Block &block = problem.geometry.block();
  const auto transformed = [&](const Fermion<double> &f) {
    return make_fermion(problem.geometry, [&](const Site &x) {
      return transformation(seed, block.global_number(x)) * f[parity_of(x)][problem.geometry.place(x).entry];
    });
  };
  GaugeField other(problem.setup<double>());
  transform(other, problem.gauge, seed);
  const Terms<double> terms = make_terms<double>(problem.setup<double>(), other, problem.options.naik);
  Limits limits = problem.limits();
  limits.residual = std::min(limits.residual, 1e-13);
  // What is left to rounding is amplified by the condition of the system.
  const double rounding = 1e-12 / std::min(1.0, limits.mass * limits.mass);
  const Fermion<double> x = Tested(problem, problem.terms, limits).solve(problem.b);
  const Fermion<double> y = Tested(problem, terms, limits).solve(transformed(problem.b));
  return {{"plaquette after a gauge transformation", std::abs(plaquette(other) - plaquette(problem.gauge)), 1e-13},
          {"norm of the solution after it", std::abs(std::sqrt(norm2(y) / norm2(x)) - 1), rounding},
          {"transformed solution", distance(y, transformed(x)), rounding}};
}

}  // namespace

std::vector<Trial> trials(const Problem &problem) {
  std::vector<Trial> all{{"links are in SU(3)", deviation(problem.gauge), problem.options.read.empty() ? 1e-13 : 1e-9}};
  all.push_back(try_anti_hermitian(problem));
  all.push_back(try_free_field(problem));
  for (const Trial &trial : try_gauge_invariance(problem)) all.push_back(trial);
  return all;
}

double recomputed_residual(const Problem &problem, const Fermion<double> &x) {
  const Fermion<double> rest = difference(problem.b, Tested(problem, problem.terms, problem.limits())(x));
  const double mass = problem.options.mass;
  Fermion<double> odd = problem.b;
  for (Vector<double> &v : odd[0]) v = {};
  Fermion<double> right = Tested(problem, problem.terms, without_mass(problem.limits()))(odd);
  for (std::size_t i = 0; i < right[0].size(); ++i)
    for (int c = 0; c < 3; ++c) right[0][i].c[c] = mass * problem.b[0][i].c[c] - right[0][i].c[c];
  right[1].clear();
  return mass * std::sqrt(norm2(rest) / norm2(right));
}

}  // namespace lattice
