/*
 * The generic functions of C11, and the deprecated names: a program as its users write it. Each PE checks what it gets; the status is that of
 * the job.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpp/shmem.h>
#include <stdio.h>

static long counter;
static double table[4];

#define EXPECT(condition)                                                                       \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      fprintf(stderr, "PE %d: line %d: %s is not true\n", shmem_my_pe(), __LINE__, #condition); \
      shmem_global_exit(1);                                                                     \
    }                                                                                           \
  } while (0)

int main(void) {
  start_pes(0);
  const int me = _my_pe(), pes = _num_pes(), next = (me + 1) % pes, previous = (me + pes - 1) % pes;
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  float *numbers = (float *)shmalloc(4 * sizeof *numbers);
  const double mine[4] = {me + 0.5, me + 1.5, me + 2.5, me + 3.5};
  shmem_put(table, mine, 2, next);
  shmem_put(ctx, table + 2, mine + 2, 1, next);
  shmem_p(&table[3], mine[3], next);
  shmem_p(numbers, 7.0f, next);
  shmem_iput(ctx, numbers + 1, numbers + 1, 1, 1, 0, next);
  shmem_barrier_all();
  for (int i = 0; i < 4; ++i) EXPECT(table[i] == previous + 0.5 + i);
  EXPECT(shmem_g(&table[1], next) == me + 1.5);
  EXPECT(shmem_g(SHMEM_CTX_DEFAULT, numbers, next) == 7.0f);
  double copy[2] = {0, 0};
  shmem_get(copy, table, 2, next);
  EXPECT(copy[1] == me + 1.5);
  shmem_barrier_all();
  shmem_atomic_add(&counter, 2, 0);
  shmem_atomic_inc(ctx, &counter, 0);
  shmem_quiet();
  shmem_sync(SHMEM_TEAM_WORLD);
  EXPECT(shmem_atomic_fetch(&counter, 0) == 3 * pes);
  shmem_sync_all();
  EXPECT(shmem_finc(&counter, next) >= 0);
  static unsigned long flag, bits;
  shmem_atomic_or(&bits, 1ul << (me % 60), next);
  shmem_atomic_set(&flag, 1, next);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  EXPECT(shmem_test(&flag, SHMEM_CMP_EQ, 1));
  EXPECT(shmem_test_any(&flag, 1, NULL, SHMEM_CMP_EQ, 1) == 0);
  shmem_barrier_all();
  EXPECT(bits == 1ul << (previous % 60));
  static uint64_t signal;
  shmem_put_signal(table, mine, 4, &signal, 5, SHMEM_SIGNAL_SET, next);
  EXPECT(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 5) == 5);
  EXPECT(table[3] == previous + 3.5);
  static long sum, one = 1;
  EXPECT(shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) == 0);
  EXPECT(sum == pes);
  static double _Complex z, w = 1.0;
  EXPECT(shmem_sum_reduce(SHMEM_TEAM_WORLD, &z, &w, 1) == 0);
  EXPECT(z == pes);
  static int from_root, root_value;
  root_value = 40 + me;
  shmem_barrier_all();
  EXPECT(shmem_broadcast(SHMEM_TEAM_WORLD, &from_root, &root_value, 1, pes - 1) == 0);
  EXPECT(from_root == 39 + pes);
  shmem_barrier_all();
  shfree(numbers);
  shmem_finalize();
  if (me == 0) puts("1 passed, 0 failed, 0 skipped");
  return 0;
}
