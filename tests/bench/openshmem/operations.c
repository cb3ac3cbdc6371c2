/* Operations of OpenSHMEM 1.4, which any implementation compiles. race.py starts it, and writes to one FIFO per PE what is to be measured:
 * "OPERATION,BYTES,COUNT". So the PEs of a program whose turn it is not sleep. PE 0 answers in another FIFO: the time of one operation in us.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <shmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_bytes = 1 << 20 };

static long pwrk_sync[2][SHMEM_REDUCE_SYNC_SIZE], broadcast_sync[2][SHMEM_BCAST_SYNC_SIZE];
static double *work; /* of reductions */
static char *here, *source; /* of each PE */
static long *flag; /* of the round trips */
static int me, pes, target;
static long stamp; /* a number of its own for each sample, the same on all PEs */

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void fail(const char *what) {
  fprintf(stderr, "PE %d: wrong values after %s\n", me, what);
  shmem_global_exit(1);
}

static long first_of(const char *memory) {
  long value;
  memcpy(&value, memory, sizeof value);
  return value;
}

/* PE 0 does `call` so many times; the others serve it in the barrier. */
#define BY_FIRST(call)                       \
  do {                                       \
    const double begin = now_us();           \
    if (me == 0)                             \
      for (long i = 0; i < count; ++i) {     \
        call;                                \
      }                                      \
    us = (now_us() - begin) / (double)count; \
    shmem_barrier_all();                     \
  } while (0)

/* Half a round trip: to and fro between PE 0 and the last PE. */
#define TO_AND_FRO(send, receive)                \
  do {                                           \
    const double begin = now_us();               \
    if (me == 0 || me == target)                 \
      for (long i = 1; i <= count; ++i) {        \
        if (me == 0) {                           \
          send;                                  \
        }                                        \
        receive;                                 \
        if (me != 0) {                           \
          send;                                  \
        }                                        \
      }                                          \
    us = (now_us() - begin) / (double)count / 2; \
    shmem_barrier_all();                         \
  } while (0)

static void fence_all(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* All PEs call these. */
static double sample_collective(const char *name, size_t bytes, long count) {
  const double begin = now_us();
  if (strcmp(name, "barrier") == 0) {
    for (long i = 0; i < count; ++i) shmem_barrier_all();
  } else if (strcmp(name, "broadcast") == 0) {
    /* A broadcast may begin where dest is no longer in use. Two arrays for synchronisation take turns. */
    for (long i = 0; i < count; ++i) {
      shmem_broadcast64(here, source, bytes / 8, 0, 0, 0, pes, broadcast_sync[i & 1]);
      shmem_barrier_all();
    }
    if (me != 0 && first_of(here) != stamp) fail(name);
  } else if (strcmp(name, "sum of doubles") == 0) {
    double *const sums = (double *)here, *const mine = (double *)source;
    for (size_t i = 0; i < bytes / 8; ++i) mine[i] = (double)(stamp + me);
    shmem_barrier_all();
    for (long i = 0; i < count; ++i) {
      shmem_double_sum_to_all(sums, mine, (int)(bytes / 8), 0, 0, pes, work, pwrk_sync[i & 1]);
      /* The arrays for work and synchronisation are in use until all PEs are here. */
      shmem_sync_all();
    }
    const double all = (double)stamp * pes + (double)pes * (pes - 1) / 2;
    if (sums[0] < all || sums[0] > all || sums[bytes / 8 - 1] < all || sums[bytes / 8 - 1] > all) fail(name);
  } else {
    fprintf(stderr, "PE %d: there is no operation '%s'\n", me, name);
    shmem_global_exit(1);
  }
  const double us = (now_us() - begin) / (double)count;
  shmem_barrier_all();
  return us;
}

/* Returns a time in us, which counts on PE 0; less than 0 if there is no such operation here. */
static double sample(const char *name, size_t bytes, long count) {
  double us = -1;
  char *const there = shmem_ptr(here, target); /* null where another process's memory is not mapped */
  long *const word = (long *)here, *const far_word = (long *)there;
  const int other = me == 0 ? target : 0;
  long *const far_flag = shmem_ptr(flag, other);
  char *const other_memory = shmem_ptr(here, other);
  const int is_limit = strncmp(name, "limit ", 6) == 0;
  if (is_limit && (!there || !far_flag || !other_memory)) return us;
  ++stamp;
  memcpy(source, &stamp, sizeof stamp);
  memset(here, 0, 8);
  *flag = 0;
  shmem_barrier_all();
  if (strcmp(name, "put of a word") == 0) BY_FIRST(shmem_long_p(word, stamp, target); shmem_quiet());
  if (strcmp(name, "limit put of a word") == 0) BY_FIRST(*(volatile long *)far_word = stamp; fence_all());
  if (strcmp(name, "put") == 0) BY_FIRST(shmem_putmem(here, source, bytes, target); shmem_quiet());
  if (strcmp(name, "limit put") == 0) BY_FIRST(memcpy(there, source, bytes); fence_all());
  if (us >= 0 && me == target && first_of(here) != stamp) fail(name);
  if (us >= 0) return us;

  if (strstr(name, "get")) {
    if (me == target) memcpy(here, &stamp, sizeof stamp);
    memset(source, 0, sizeof stamp);
    shmem_barrier_all();
    if (strcmp(name, "get") == 0) BY_FIRST(shmem_getmem(source, here, bytes, target));
    if (strcmp(name, "limit get") == 0) BY_FIRST(memcpy(source, there, bytes); __asm__ volatile("" ::: "memory"));
    if (us >= 0 && me == 0 && first_of(source) != stamp) fail(name);
    return us;
  }

  if (strcmp(name, "fetch-and-add") == 0) BY_FIRST((void)shmem_long_atomic_fetch_add(word, 1, target));
  if (strcmp(name, "limit fetch-and-add") == 0) BY_FIRST((void)__atomic_fetch_add((volatile long *)far_word, 1, __ATOMIC_SEQ_CST));
  if (strcmp(name, "atomic add") == 0) BY_FIRST(shmem_long_atomic_add(word, 1, target); shmem_quiet());
  if (strcmp(name, "limit atomic add") == 0)
    BY_FIRST((void)__atomic_fetch_add((volatile long *)far_word, 1, __ATOMIC_SEQ_CST); fence_all());
  if (us >= 0 && me == target && *word != count) fail(name);
  if (us >= 0) return us;

  if (strcmp(name, "swap") == 0) BY_FIRST((void)shmem_long_atomic_swap(word, i + 1, target));
  if (strcmp(name, "limit swap") == 0) BY_FIRST((void)__atomic_exchange_n((volatile long *)far_word, i + 1, __ATOMIC_SEQ_CST));
  if (strcmp(name, "compare-and-swap") == 0) BY_FIRST((void)shmem_long_atomic_compare_swap(word, i, i + 1, target));
  if (strcmp(name, "limit compare-and-swap") == 0)
    BY_FIRST({
      long expected = i;
      (void)__atomic_compare_exchange_n((volatile long *)far_word, &expected, i + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    });
  if (us >= 0 && me == target && *word != count) fail(name);
  if (us >= 0) return us;

  if (strcmp(name, "put and flag") == 0)
    TO_AND_FRO(shmem_putmem(here, source, bytes, other); shmem_fence();
               shmem_long_p(flag, i, other), shmem_long_wait_until(flag, SHMEM_CMP_GE, i));
  if (strcmp(name, "limit put and flag") == 0)
    TO_AND_FRO(memcpy(other_memory, source, bytes);
               __atomic_store_n(far_flag, i, __ATOMIC_RELEASE), while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < i) continue);
  if (us >= 0 && (me == 0 || me == target) && first_of(here) != stamp) fail(name);
  if (us >= 0) return us;

  return sample_collective(name, bytes, count);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: operations FOLDER, started by race.py\n");
    return 2;
  }
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  target = pes - 1;
  here = shmem_malloc(most_bytes);
  source = shmem_malloc(most_bytes);
  flag = shmem_malloc(sizeof *flag);
  const size_t of_work = most_bytes / 16 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? most_bytes / 16 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  work = shmem_malloc(of_work * sizeof *work);
  if (!here || !source || !flag || !work) {
    fprintf(stderr, "PE %d: the symmetric heap has no room (SHMEM_SYMMETRIC_SIZE)\n", me);
    shmem_global_exit(1);
  }
  memset(here, 0, most_bytes);
  memset(source, 0, most_bytes);
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) pwrk_sync[k][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) broadcast_sync[k][i] = SHMEM_SYNC_VALUE;
  }
  shmem_barrier_all();

  char path[4096], line[256], name[128];
  snprintf(path, sizeof path, "%s/asks.%d", argv[1], me);
  FILE *const asks = fopen(path, "r");
  FILE *answers = NULL;
  if (me == 0) {
    snprintf(path, sizeof path, "%s/answers", argv[1]);
    answers = fopen(path, "w");
  }
  if (!asks || (me == 0 && !answers)) {
    perror(path);
    shmem_global_exit(1);
  }
  while (fgets(line, sizeof line, asks)) {
    unsigned long bytes = 0;
    long count = 0;
    if (sscanf(line, "%127[^,],%lu,%ld", name, &bytes, &count) != 3 || count < 1 || bytes > most_bytes) {
      fprintf(stderr, "PE %d: cannot read '%s'\n", me, line);
      shmem_global_exit(1);
    }
    const double us = sample(name, bytes, count);
    if (me == 0) {
      fprintf(answers, "%.9g\n", us);
      fflush(answers);
    }
  }
  shmem_finalize();
  return 0;
}
