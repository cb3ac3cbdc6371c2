// A reduction: every rank gives an array, and every rank gets the sums of all, element by element.
// Build: mpicxx 05_allreduce.cpp $(pkg-config --cflags --libs halocline) -o 05_allreduce
// Run:   mpiexec -n 4 ./05_allreduce    prints: 05_allreduce: 4 ranks, sum 24: ok
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

static int allreduce() {
  halocline::Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), n = context.size();

  // Plan once, run as often as you like.
  halocline::Allreduce<double> plan(context, 3, halocline::Reduction::sum);

  // 1, the rank and its square: their sums over all ranks are known.
  const double mine[3] = {1.0, 1.0 * rank, 1.0 * rank * rank};
  double sum[3];
  plan.run(mine, sum);

  const bool right = sum[0] == n && sum[1] == n * (n - 1) / 2 && sum[2] == (n - 1) * n * (2 * n - 1) / 6;
  return report("05_allreduce", "sum", static_cast<std::int64_t>(sum[0] + sum[1] + sum[2]), right);
}

int main() { return run(allreduce); }
