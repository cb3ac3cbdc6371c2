// Communication behind computation: start the swap, step the cells that read no halo, finish, step the rest. The result is the same, bit
// for bit, as without overlap. The wave that each step multiplies by a known factor shows that both are right.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

using halocline::Context, halocline::Grid, halocline::Halo, halocline::Stencil, halocline::Swap;
using Plane = halocline::Field<double, 2>;

constexpr int nx = 40, ny = 56, steps = 30;
constexpr double alpha = 0.2, two_pi = 6.283185307179586;

/// A box of cells: from (i0, j0) up to but without (i1, j1).
struct Box {
  std::int64_t i0, i1, j0, j1;
};

static double wave(const Grid &grid, std::int64_t i, std::int64_t j) {
  return std::cos(two_pi * double(grid.start(0) + i) / nx) * std::cos(two_pi * double(grid.start(1) + j) / ny);
}

static void relax(const Plane &now, Plane &next, const Box &box) {
  for (std::int64_t i = box.i0; i < box.i1; ++i)
    for (std::int64_t j = box.j0; j < box.j1; ++j)
      next(i, j) = now(i, j) + alpha * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j));
}

/// Both copies of the plane, one halo over both; a swap names the copy that is read.
struct Solver {
  Solver(const Context &context, const Grid &grid)
      : u{Plane(context, grid, 1), Plane(context, grid, 1)}, halo(context, grid, {u[0], u[1]}, {Stencil::star}) {
    for (std::int64_t i = 0; i < grid.local(0); ++i)
      for (std::int64_t j = 0; j < grid.local(1); ++j) u[0](i, j) = wave(grid, i, j);
  }
  Plane u[2];
  Halo halo;
};

static void step_overlapped(Solver &solver, const Grid &grid, int now) {
  const std::int64_t ni = grid.local(0), nj = grid.local(1);
  const Plane &from = solver.u[now];
  Plane &to = solver.u[1 - now];
  Swap what{};
  what.nfields = 1;
  what.fields = &now;

  solver.halo.start(what);
  for (std::int64_t i = 1; i < ni - 1; ++i) {
    relax(from, to, {i, i + 1, 1, nj - 1});
    solver.halo.test();
  }
  solver.halo.finish();
  relax(from, to, {0, 1, 0, nj});
  if (ni > 1) relax(from, to, {ni - 1, ni, 0, nj});
  relax(from, to, {1, ni - 1, 0, 1});
  if (nj > 1) relax(from, to, {1, ni - 1, nj - 1, nj});
}

static void step_plain(Solver &solver, const Grid &grid, int now) {
  solver.halo.swap();
  relax(solver.u[now], solver.u[1 - now], {0, grid.local(0), 0, grid.local(1)});
}

static bool is_the_wave(const Grid &grid, const Plane &u) {
  const double factor = 1 + 2 * alpha * (std::cos(two_pi / nx) - 1) + 2 * alpha * (std::cos(two_pi / ny) - 1);
  for (std::int64_t i = 0; i < grid.local(0); ++i)
    for (std::int64_t j = 0; j < grid.local(1); ++j)
      if (!(std::abs(u(i, j) - std::pow(factor, steps) * wave(grid, i, j)) < 1e-12)) return false;
  return true;
}

static bool same_bits(const Grid &grid, const Plane &a, const Plane &b) {
  for (std::int64_t i = 0; i < grid.local(0); ++i)
    if (std::memcmp(&a(i, 0), &b(i, 0), static_cast<std::size_t>(grid.local(1)) * sizeof(double)) != 0) return false;
  return true;
}

static int overlap() {
  Context context(MPI_COMM_WORLD);
  Grid grid(context, {nx, ny}, {true, true});
  Solver overlapped(context, grid), plain(context, grid);
  for (int step = 0; step < steps; ++step) {
    step_overlapped(overlapped, grid, step % 2);
    step_plain(plain, grid, step % 2);
  }
  const Plane &result = overlapped.u[steps % 2];
  const bool right = is_the_wave(grid, result) && same_bits(grid, result, plain.u[steps % 2]);
  return verdict("overlap (C++)", right, "overlapped steps give the plain steps' bits, and both the known wave");
}

int main() { return run(overlap); }
