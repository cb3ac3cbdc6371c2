/* An OpenSHMEM program as its users write it: a put with a signal around a ring. SPDX-License-Identifier: BSD-3-Clause */
#include <shmem.h>

#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 100 };

static uint64_t signal;
static int64_t into[WORDS];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes, left = (me + pes - 1) % pes;
  int64_t *const from = shmem_malloc(sizeof into);
  if (!from) return EXIT_FAILURE;
  for (int i = 0; i < WORDS; ++i) from[i] = 1000 * (me + 1) + i;
  shmem_int64_put_signal(into, from, WORDS, &signal, 1, SHMEM_SIGNAL_ADD, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1);
  for (int i = 0; i < WORDS; ++i)
    if (into[i] != 1000 * (left + 1) + i) shmem_global_exit(EXIT_FAILURE);
  printf("rank %d of %d sees its neighbour\n", me, pes);
  shmem_free(from);
  shmem_finalize();
  return EXIT_SUCCESS;
}
