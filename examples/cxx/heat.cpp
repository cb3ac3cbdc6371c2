// The heat equation on a periodic plane. The start is a wave that each step multiplies by a known factor, so every cell of the result is
// known.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

#include <algorithm>
#include <cmath>

using halocline::Context, halocline::Grid, halocline::Halo, halocline::Mode, halocline::Stencil;
using Plane = halocline::Field<double, 2>;

constexpr int nx = 48, ny = 64, steps = 50;
constexpr double alpha = 0.2, two_pi = 6.283185307179586;

static double wave(const Grid &grid, std::int64_t i, std::int64_t j) {
  return std::sin(two_pi * double(grid.start(0) + i) / nx) * std::cos(two_pi * double(grid.start(1) + j) / ny);
}

static void set_wave(const Grid &grid, Plane &u) {
  for (std::int64_t i = 0; i < grid.local(0); ++i)
    for (std::int64_t j = 0; j < grid.local(1); ++j) u(i, j) = wave(grid, i, j);
}

/// The largest difference from the wave times the factor of all steps.
static double largest_error(const Grid &grid, const Plane &u) {
  const double factor = 1 + 2 * alpha * (std::cos(two_pi / nx) - 1) + 2 * alpha * (std::cos(two_pi / ny) - 1);
  double largest = 0;
  for (std::int64_t i = 0; i < grid.local(0); ++i)
    for (std::int64_t j = 0; j < grid.local(1); ++j)
      largest = std::max(largest, std::abs(u(i, j) - std::pow(factor, steps) * wave(grid, i, j)));
  return largest;
}

static int heat() {
  Context context(MPI_COMM_WORLD);
  Grid grid(context, {nx, ny}, {true, true});
  Plane now(context, grid, 1), next(context, grid, 1);
  Halo halo(context, grid, {now}, {Stencil::star});
  set_wave(grid, now);
  for (int step = 0; step < steps; ++step) {
    halo.swap();
    for (int i = 0; i < grid.local(0); ++i)
      for (int j = 0; j < grid.local(1); ++j)
        next(i, j) = now(i, j) + alpha * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j));
    std::copy_n(next.data(), next.size(), now.data());
  }
  return verdict("heat (C++)", largest_error(grid, now) < 1e-12, "every cell is the wave times the known factor");
}

int main() { return run(heat); }
