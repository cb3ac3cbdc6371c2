/*
 * A program compiled with inline forms, and linked with a profiling tool: the tool sees each call, and what it does not replace works.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <shmem.h>
#include <stdio.h>

extern int puts_seen;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), next = (me + 1) % pes;
  long *words = shmem_calloc(2, sizeof(long));
  for (int i = 0; i < 3; ++i) shmem_long_p(words, me + 5L, next);
  shmem_long_atomic_add(words + 1, 7, next);
  shmem_quiet();
  shmem_barrier_all();
  const int wrong = words[0] != (me + pes - 1) % pes + 5 || words[1] != 7 || puts_seen != 3 || shmem_near_1.bytes != 0;
  if (wrong) {
    fprintf(stderr, "PE %d: words %ld and %ld, %d puts, %zu bytes for inline forms\n", me, words[0], words[1], puts_seen,
            shmem_near_1.bytes);
    shmem_global_exit(1);
  }
  shmem_finalize();
  if (me == 0) puts("1 passed, 0 failed, 0 skipped");
  return 0;
}
