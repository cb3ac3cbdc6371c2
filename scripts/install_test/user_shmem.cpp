// An OpenSHMEM program of C++ as its users write it: the generic names, and a sum of all PEs. SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>

#include <cstdio>
#include <cstdlib>

static double into, mine, sum;

int main() {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_p(&into, me + 0.5, (me + 1) % pes);
  mine = me;
  shmem_barrier_all();
  const bool summed = shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1) == 0 && sum == pes * (pes - 1) / 2;
  if (!summed || into != (me + pes - 1) % pes + 0.5) shmem_global_exit(EXIT_FAILURE);
  std::printf("rank %d of %d sees its neighbour\n", me, pes);
  shmem_finalize();
  return EXIT_SUCCESS;
}
