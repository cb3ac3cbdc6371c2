// Views: each rank reads the cells beside its block in place, in the neighbour's interior. Nothing is copied.
// Build: mpicxx 04_views.cpp $(pkg-config --cflags --libs halocline) -o 04_views
// Run:   mpiexec -n 4 ./04_views    prints: 04_views: 4 ranks, west plus east 419: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

constexpr int N = 4;  // cells of each rank

static int views() {
  // A ring of cells: N of each rank, and a halo cell at either end, which stays as it is.
  halocline::Context context(MPI_COMM_WORLD);
  const std::int64_t cells = N * context.size();
  halocline::Grid grid(context, {cells}, {true});
  halocline::Field<double, 1> u(context, grid, 1);
  halocline::Halo halo(context, grid, {u}, {halocline::Stencil::box, halocline::Mode::view});

  const std::int64_t first = grid.start(0), before = (first + cells - 1) % cells, behind = (first + N) % cells;
  double west = 0, east = 0;
  bool right = true;
  for (int step = 1; step <= 2; ++step) {
    for (int i = 0; i < N; ++i) u(i) = static_cast<double>(100 * step + first + i);
    halo.start();
    halo.finish_views();

    // A view is requested by its direction, and has the indices of its cells in u.
    const halocline::Views<double, 1> around(halo, 0);
    west = around({-1})(-1);
    east = around({1})(N);
    right = right && west == static_cast<double>(100 * step + before) && east == static_cast<double>(100 * step + behind);

    // The neighbours read my cells until they release them. After this I may write again.
    halo.release();
  }
  return report("04_views", "west plus east", static_cast<std::int64_t>(west + east), right);
}

int main() { return run(views); }
