// The smallest halo swap in two dimensions: a periodic plane in blocks, each with one cell of its neighbours around it.
// Build: mpicxx 03_halo.cpp $(pkg-config --cflags --libs halocline) -o 03_halo
// Run:   mpiexec -n 4 ./03_halo    prints: 03_halo: 4 ranks, halo sum 858: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

constexpr int N = 8;  // cells of the plane along each dimension

/// What cell (i, j) of this rank's block holds, from -1 to local: its global coordinates, wrapped at the plane's edge.
static double value(const halocline::Grid &grid, std::int64_t i, std::int64_t j) {
  return static_cast<double>(10 * ((grid.start(0) + i + N) % N) + (grid.start(1) + j + N) % N);
}

static int halo_swap() {
  // A block of the plane for each rank, with a halo of one cell, in memory that the neighbours read.
  halocline::Context context(MPI_COMM_WORLD);
  halocline::Grid grid(context, {N, N}, {true, true});
  halocline::Field<double, 2> u(context, grid, 1);
  const std::int64_t n = grid.local(0), m = grid.local(1);
  std::fill_n(u.data(), u.size(), -1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) u(i, j) = value(grid, i, j);

  // Plan once, swap as often as you like.
  halocline::Halo halo(context, grid, {u});
  halo.start();
  halo.finish();

  double sum = 0;  // of the halo cells
  bool right = true;
  for (std::int64_t i = -1; i <= n; ++i)
    for (std::int64_t j = -1; j <= m; ++j) {
      right = right && u(i, j) == value(grid, i, j);
      if (i < 0 || i == n || j < 0 || j == m) sum += u(i, j);
    }
  return report("03_halo", "halo sum", static_cast<std::int64_t>(sum), right);
}

int main() { return run(halo_swap); }
