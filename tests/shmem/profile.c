/*
 * A profiling tool: it puts functions of its own in place of the weak ones, counts, and calls the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pshmem.h>
#include <stdio.h>

static int puts_seen, barriers_seen;

void shmem_long_p(long *dest, long value, int pe) {
  ++puts_seen;
  pshmem_long_p(dest, value, pe);
}

void shmem_barrier_all(void) {
  ++barriers_seen;
  pshmem_barrier_all();
}

int main(void) {
  static long word;
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_p(&word, me + 5L, (me + 1) % pes);
  shmem_barrier_all();
  const int wrong = word != (me + pes - 1) % pes + 5 || puts_seen != 1 || barriers_seen != 1;
  if (wrong) {
    fprintf(stderr, "PE %d: word %ld, %d puts, %d barriers\n", me, word, puts_seen, barriers_seen);
    shmem_global_exit(1);
  }
  shmem_finalize();
  if (me == 0) puts("1 passed, 0 failed, 0 skipped");
  return 0;
}
