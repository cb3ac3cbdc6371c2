// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/nonnegative_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace bench {

namespace {

constexpr double kSmallError = 0.01;
using Vector = std::vector<double>;

double sum_of(const Vector &row, const Vector &coefficients) {
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * coefficients[j];
  return sum;
}

/// Of a row's sum, which should be 1; also where it is 0.
double error_of(double sum) { return std::fabs(std::log(std::max(sum, 1e-3))); }

/// With this weight the square of sum - 1 falls as the error does, whose slope is 1 beyond small errors.
double weight_of(double sum) {
  const double s = std::max(sum, 1e-3), error = error_of(s), distance = std::fabs(s - 1);
  return (distance < 1e-9 ? 1 : error / (distance * s)) / std::max(error, kSmallError);
}

/// Normal equations of weighted least squares: a x = b.
struct Normal {
  Table a;
  Vector b;
};

Normal normal_of(const Table &table, const Vector &weights) {
  const std::size_t n = table.front().size();
  Normal normal{Table(n, Vector(n)), Vector(n)};
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = 0; j < n; ++j) {
      normal.b[j] += weights[i] * table[i][j];
      for (std::size_t k = 0; k < n; ++k) normal.a[j][k] += weights[i] * table[i][j] * table[i][k];
    }
  return normal;
}

/// Solves the equations of the chosen unknowns by Cholesky's method; the others are 0.
Vector solve_chosen(const Normal &normal, const std::vector<std::size_t> &chosen) {
  const std::size_t n = chosen.size();
  Table lower(n, Vector(n));
  Vector x(n), all(normal.b.size());
  for (std::size_t i = 0; i < n; ++i) {
    double value = normal.b[chosen[i]];
    for (std::size_t j = 0; j <= i; ++j) {
      double entry = normal.a[chosen[i]][chosen[j]] * (i == j ? 1 + 1e-12 : 1);
      for (std::size_t k = 0; k < j; ++k) entry -= lower[i][k] * lower[j][k];
      lower[i][j] = i == j ? std::sqrt(std::max(entry, 1e-300)) : entry / lower[j][j];
      if (j < i) value -= lower[i][j] * x[j];
    }
    x[i] = value / lower[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= lower[k][i] * x[k];
    x[i] /= lower[i][i];
    all[chosen[i]] = x[i];
  }
  return all;
}

/// The unknown outside the chosen ones that would make the error less most quickly; the number of unknowns if none would.
std::size_t most_useful(const Normal &normal, const Vector &x, const std::vector<std::size_t> &chosen) {
  std::size_t best = x.size();
  double steepest = 1e-10;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (normal.a[j][j] <= 0 || std::find(chosen.begin(), chosen.end(), j) != chosen.end()) continue;
    const double slope = (normal.b[j] - sum_of(normal.a[j], x)) / std::sqrt(normal.a[j][j]);
    if (slope > steepest) steepest = slope, best = j;
  }
  return best;
}

/// Goes from x towards a solution with negative unknowns until the first of them is 0, and no longer counts those as chosen.
void step_back(Vector &x, const Vector &solution, std::vector<std::size_t> &chosen) {
  double part = 1;
  for (const std::size_t j : chosen)
    if (solution[j] <= 0) part = std::min(part, x[j] / (x[j] - solution[j]));
  for (const std::size_t j : chosen) x[j] += part * (solution[j] - x[j]);
  const auto is_nothing = [&](std::size_t j) { return solution[j] <= 0 && x[j] <= 1e-14; };
  for (const std::size_t j : chosen)
    if (is_nothing(j)) x[j] = 0;
  chosen.erase(std::remove_if(chosen.begin(), chosen.end(), is_nothing), chosen.end());
}

/// Least squares without negative unknowns. Source: Lawson and Hanson, Solving Least Squares Problems, chapter 23.
Vector solve(const Normal &normal) {
  Vector x(normal.b.size());
  std::vector<std::size_t> chosen;
  for (std::size_t step = 0; step < 3 * x.size(); ++step) {
    const std::size_t next = most_useful(normal, x, chosen);
    if (next == x.size()) break;
    chosen.push_back(next);
    for (std::size_t back = 0; back <= x.size(); ++back) {
      const Vector solution = solve_chosen(normal, chosen);
      if (std::all_of(chosen.begin(), chosen.end(), [&](std::size_t j) { return solution[j] > 0; })) {
        x = solution;
        break;
      }
      const std::size_t before = chosen.size();
      step_back(x, solution, chosen);
      if (chosen.empty() || chosen.size() == before) return x;
    }
  }
  return x;
}

/// Every column divided by its largest value, so that bytes and latencies are alike.
Vector scales_of(const Table &table) {
  Vector scales(table.front().size());
  for (const Vector &row : table)
    for (std::size_t j = 0; j < row.size(); ++j) scales[j] = std::max(scales[j], row[j]);
  for (double &scale : scales)
    if (scale <= 0) scale = 1;
  return scales;
}

Table scaled(Table table, const Vector &scales) {
  for (Vector &row : table)
    for (std::size_t j = 0; j < row.size(); ++j) row[j] /= scales[j];
  return table;
}

}  // namespace

std::vector<double> nonnegative_fit(const Table &table, int rounds) {
  if (table.empty() || table.front().empty()) return {};
  const Vector scales = scales_of(table);
  const Table rows = scaled(table, scales);
  Vector weights(rows.size(), 1), x;
  for (int round = 0; round < rounds; ++round) {
    const Vector before = std::exchange(x, solve(normal_of(rows, weights)));
    for (std::size_t i = 0; i < rows.size(); ++i) weights[i] = weight_of(sum_of(rows[i], x));
    double change = 0;
    for (std::size_t j = 0; j < x.size(); ++j) change = std::max(change, before.empty() ? 1 : std::fabs(x[j] - before[j]));
    if (change < 1e-9) break;
  }
  for (std::size_t j = 0; j < x.size(); ++j) x[j] /= scales[j];
  return x;
}

double mean_error(const Table &table, const std::vector<double> &coefficients) {
  double sum = 0;
  for (const Vector &row : table) sum += error_of(sum_of(row, coefficients));
  return table.empty() ? 0 : sum / static_cast<double>(table.size());
}

}  // namespace bench
