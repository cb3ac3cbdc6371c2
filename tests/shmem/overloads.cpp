// The overloads of C++: a program as its users write it. Each PE checks what it gets.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <shmem.h>

#include <cstdio>

namespace {

void expect(bool condition, int line) {
  if (condition) return;
  std::fprintf(stderr, "PE %d: line %d: not as expected\n", shmem_my_pe(), line);
  shmem_global_exit(1);
}

double table[4];
long counter;
unsigned long flag;
std::complex<double> z, w;

}  // namespace

int main() {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), next = (me + 1) % pes, previous = (me + pes - 1) % pes;
  const double mine[4] = {me + 0.5, me + 1.5, me + 2.5, me + 3.5};
  shmem_put(table, mine, 2, next);
  shmem_put(SHMEM_CTX_DEFAULT, table + 2, mine + 2, 1, next);
  shmem_p(table + 3, mine[3], next);
  shmem_barrier_all();
  for (int i = 0; i < 4; ++i) expect(table[i] == previous + 0.5 + i, __LINE__);
  expect(shmem_g(table + 1, next) == me + 1.5, __LINE__);
  shmem_atomic_add(&counter, 2L, 0);
  shmem_quiet();
  shmem_sync(SHMEM_TEAM_WORLD);
  expect(shmem_atomic_fetch(&counter, 0) == 2 * pes, __LINE__);
  shmem_atomic_set(&flag, 1UL, next);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1UL);
  w = {1.0, 2.0};
  shmem_barrier_all();
  expect(shmem_sum_reduce(SHMEM_TEAM_WORLD, &z, &w, 1) == 0, __LINE__);
  expect(z == std::complex<double>(pes, 2.0 * pes), __LINE__);
  shmem_finalize();
  if (me == 0) std::puts("1 passed, 0 failed, 0 skipped");
  return 0;
}
