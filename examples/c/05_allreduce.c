/* A reduction: every rank gives an array, and every rank gets the sums of all, element by element.
 * Build: mpicc 05_allreduce.c $(pkg-config --cflags --libs halocline) -o 05_allreduce
 * Run:   mpiexec -n 4 ./05_allreduce    prints: 05_allreduce: 4 ranks, sum 24: ok
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));

  /* Plan once, run as often as you like. */
  const hlc_allreduce_spec spec = {.count = 3, .type = HLC_FLOAT64, .reduction = HLC_REDUCE_SUM};
  hlc_allreduce *plan;
  CHECK(hlc_allreduce_create(context, &spec, &plan));

  /* 1, the rank and its square: their sums over all ranks are known. */
  const double mine[3] = {1, info.rank, info.rank * info.rank};
  double sum[3];
  CHECK(hlc_allreduce_run(plan, mine, sum));

  const int n = info.size, right = sum[0] == n && sum[1] == n * (n - 1) / 2 && sum[2] == (n - 1) * n * (2 * n - 1) / 6;
  const int status = report("05_allreduce", "sum", (int64_t)(sum[0] + sum[1] + sum[2]), right);
  CHECK(hlc_allreduce_destroy(&plan));
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
