// A program outside the tree: swaps one periodic row and says what it saw. SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <halocline/halocline.hpp>

int main() {
  halocline::Mpi mpi;
  halocline::Context context(MPI_COMM_WORLD);
  const int rank = context.rank(), size = context.size();
  halocline::Grid grid(context, {4 * size}, {1});
  halocline::Field<double, 1> row(context, grid, 1);
  for (int i = 0; i < 4; ++i) row(i) = 100.0 * rank + i;
  halocline::Halo halo(context, grid, {row});
  halo.swap();
  if (row(-1) != 100.0 * ((rank + size - 1) % size) + 3 || row(4) != 100.0 * ((rank + 1) % size)) return 1;
  std::printf("rank %d of %d sees its neighbour\n", rank, size);
}
