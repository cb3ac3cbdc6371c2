// SPDX-License-Identifier: BSD-3-Clause
#include "gmres.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace pic {
namespace {

using Vector = std::vector<double>;

ExactSum dot(const Vector &a, const Vector &b) { return pic::dot(a.data(), b.data(), a.size()); }

/// to += factor a
void add(Vector &to, double factor, const Vector &a) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * a[i];
}

Vector difference(const Vector &a, const Vector &b) {
  Vector result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

void scale(Vector &a, double factor) {
  for (double &number : a) number *= factor;
}

void need_finite(double value, const char *solver) {
  if (!std::isfinite(value))
    throw std::runtime_error(std::string(solver) + ": a sum over all ranks is not finite; use a smaller time step");
}

/// The least-squares problem of GMRES: columns of the Hessenberg matrix, turned into a triangle by rotations.
class LeastSquares {
 public:
  explicit LeastSquares(double norm) : right_{norm} {}

  /// A column, with its number below the diagonal last. Returns the norm of the residual with it.
  double add_column(Vector column) {
    const std::size_t n = triangle_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double above = column[i], below = column[i + 1];
      column[i] = cosines_[i] * above + sines_[i] * below;
      column[i + 1] = cosines_[i] * below - sines_[i] * above;
    }
    const double length = std::sqrt(column[n] * column[n] + column[n + 1] * column[n + 1]);
    cosines_.push_back(length > 0 ? column[n] / length : 1);
    sines_.push_back(length > 0 ? column[n + 1] / length : 0);
    column[n] = length;
    triangle_.push_back(std::move(column));
    right_.push_back(-sines_[n] * right_[n]);
    right_[n] *= cosines_[n];
    return std::fabs(right_[n + 1]);
  }
  /// The factors of the basis vectors.
  Vector solution() const {
    Vector y(right_.begin(), right_.end() - 1);
    for (std::size_t i = y.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < y.size(); ++j) y[i] -= triangle_[j][i] * y[j];
      y[i] = triangle_[i][i] != 0 ? y[i] / triangle_[i][i] : 0;
    }
    return y;
  }

 private:
  std::vector<Vector> triangle_;
  Vector cosines_, sines_, right_;
};

/// One cycle of p1-GMRES. v: the basis; z: one step ahead, z[i + 1] = A v[i]; columns of the Hessenberg matrix.
class Cycle {
 public:
  static constexpr int kMost = 40;

  Cycle(Operator &matrix, Sums &sums) : matrix_(matrix), sums_(sums), w_(matrix.size()) {}

  /// Begins with a residual and its norm. Returns the iterations made; adds to x.
  int run(const Vector &residual, double norm, double enough, int most, Vector &x) {
    LeastSquares problem(norm);
    v_.assign(1, residual);
    scale(v_[0], 1 / norm);
    z_ = v_;
    columns_.clear();
    int known = 0;
    for (int i = 0; i <= std::min(most, kMost); ++i) {
      matrix_.apply(z_[at(i)].data(), w_.data());
      if (i > 0) take_sums(i);
      if (i > 1) {
        ++known;
        if (problem.add_column(columns_[at(i - 2)]) <= enough || columns_[at(i - 2)].back() <= 1e-14 * norm_of(i - 2)) break;
        normalise(i);
      }
      extend(i);
      start_sums(i);
      pending_ = true;
    }
    if (pending_) static_cast<void>(sums_.finish());
    pending_ = false;
    const Vector y = problem.solution();
    for (std::size_t j = 0; j < y.size(); ++j) add(x, y[j], v_[j]);
    return known;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  double norm_of(int column) const {
    double square = 0;
    for (const double number : columns_[at(column)]) square += number * number;
    return std::sqrt(square);
  }
  /// Sums that began in iteration i - 1: column i - 1 without its last number, and the last one of column i - 2.
  void take_sums(int i) {
    Vector all = sums_.finish();
    pending_ = false;
    if (i > 1) {
      need_finite(all.back(), "GMRES");
      columns_[at(i - 2)].push_back(std::sqrt(std::max(all.back(), 0.0)));
      all.pop_back();
    }
    columns_.push_back(std::move(all));
  }
  /// v[i - 1] gets its norm only now; what was computed of it follows.
  void normalise(int i) {
    const double factor = 1 / columns_[at(i - 2)].back();
    scale(v_[at(i - 1)], factor);
    scale(z_[at(i)], factor);
    scale(w_, factor);
    Vector &column = columns_[at(i - 1)];
    for (double &number : column) number *= factor;
    column.back() *= factor;
  }
  void extend(int i) {
    Vector z = w_;
    if (i > 0) {
      Vector v = z_[at(i)];
      for (int j = 0; j < i; ++j) {
        add(z, -columns_[at(i - 1)][at(j)], z_[at(j + 1)]);
        add(v, -columns_[at(i - 1)][at(j)], v_[at(j)]);
      }
      v_.push_back(std::move(v));
    }
    z_.push_back(std::move(z));
  }
  void start_sums(int i) {
    std::vector<ExactSum> mine;
    for (int j = 0; j <= i; ++j) mine.push_back(dot(z_[at(i + 1)], v_[at(j)]));
    if (i > 0) mine.push_back(dot(v_[at(i)], v_[at(i)]));
    sums_.start(mine);
  }

  Operator &matrix_;
  Sums &sums_;
  bool pending_ = false;
  std::vector<Vector> v_, z_;
  Vector w_;
  std::vector<Vector> columns_;
};

}  // namespace

Solved solve_gmres(Operator &matrix, Sums &sums, const Limits &limits, const Vector &right, Vector &x, const Vector &product) {
  Solved solved;
  Vector residual = difference(right, product);
  const Vector squares = sums.all({dot(right, right), dot(residual, residual)});
  const double size = std::sqrt(squares[0]);
  double norm = std::sqrt(squares[1]);
  need_finite(size + norm, "GMRES");
  solved.right = size;
  if (size == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    return solved;
  }
  const double enough = limits.tolerance * size;
  Cycle cycle(matrix, sums);
  Vector of_x(x.size());
  for (;;) {
    solved.residual = norm / size;
    if (norm <= enough || solved.iterations >= limits.iterations) return solved;
    solved.iterations += std::max(1, cycle.run(residual, norm, 0.5 * enough, limits.iterations, x));
    matrix.apply(x.data(), of_x.data());
    residual = difference(right, of_x);
    norm = std::sqrt(sums.all(dot(residual, residual)));
    need_finite(norm, "GMRES");
  }
}

Solved solve_cg(Operator &matrix, Sums &sums, const Limits &limits, const Vector &right, Vector &x) {
  Solved solved;
  std::fill(x.begin(), x.end(), 0.0);
  const std::size_t n = right.size();
  Vector r = right, w(n), q(n), z(n), s(n), p(n);
  matrix.apply(r.data(), w.data());
  double first = 0, gamma_before = 0, alpha = 0;
  for (;;) {
    sums.start({dot(r, r), dot(w, r)});
    matrix.apply(w.data(), q.data());
    const Vector all = sums.finish();
    const double gamma = all[0], delta = all[1];
    need_finite(gamma + delta, "conjugate gradients");
    if (solved.iterations == 0) first = gamma;
    solved.residual = first > 0 ? std::sqrt(gamma / first) : 0;
    if (solved.residual <= limits.tolerance || solved.iterations >= limits.iterations) return solved;
    const double beta = solved.iterations > 0 ? gamma / gamma_before : 0;
    const double curvature = solved.iterations > 0 ? delta - beta * gamma / alpha : delta;
    if (!(curvature > 0)) return solved;
    alpha = gamma / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      z[i] = q[i] + beta * z[i];
      s[i] = w[i] + beta * s[i];
      p[i] = r[i] + beta * p[i];
      x[i] += alpha * p[i];
      r[i] -= alpha * s[i];
      w[i] -= alpha * z[i];
    }
    gamma_before = gamma;
    ++solved.iterations;
  }
}

}  // namespace pic
