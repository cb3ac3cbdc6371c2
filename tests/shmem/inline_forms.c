/*
 * Each inline form does what its function does. To tell both apart, the variable that inline forms read is moved meanwhile: they reach the place
 * 4096 bytes behind, and the functions, by their names in the profiling interface, do not. A form that has become a call is found so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <shmem.h>
/* After it, so that shmem.h has its inline forms. */
#include <pshmem.h>
#include <stdio.h>
#include <string.h>

enum { kBytes = 4096, kPoison = 17, kCopied = 3, kElements = 8 };

static char *inlined, *called; /* symmetric, each of twice kBytes */
static char *there_inlined, *there_called; /* the same of the next PE */
static long shift;
static int next, checks, failures;
static shmem_ctx_t ctxs[2] = {SHMEM_CTX_DEFAULT};
static volatile size_t known_later;

static _Alignas(16) char local_a[16 * kElements], local_b[16 * kElements];

/* What an inline form and a function begin with: elements 5, 6, 7 and so on of a type, in the memory of the next PE and in this one. */
#define SOURCE(T) static const T source[kElements] = {50, 51, 52, 53, 54, 55, 56, 57}
#define BEGIN(T)                                                 \
  static const T first[kElements] = {5, 6, 7, 8, 9, 10, 11, 12}; \
  T *const a = (T *)inlined, *const b = (T *)called, *const from_a = (T *)local_a, *const from_b = (T *)local_b

static __attribute__((noinline)) void begin(const void *first, size_t bytes) {
  memset(there_inlined, kPoison, 2 * kBytes);
  memset(there_called, kPoison, 2 * kBytes);
  memcpy(there_inlined + shift, first, bytes);
  memcpy(there_called, first, bytes);
  memset(local_a, kPoison, sizeof local_a);
  memset(local_b, kPoison, sizeof local_b);
}

static __attribute__((noinline)) void compare(const char *name) {
  int wrong = memcmp(there_inlined + shift, there_called, kBytes) != 0 || memcmp(local_a, local_b, sizeof local_a) != 0;
  for (long i = 0; i < shift; ++i) wrong = wrong || there_inlined[i] != kPoison;
  ++checks;
  failures += wrong;
  if (wrong) fprintf(stderr, "PE %d: the inline form of %s is wrong, or a call\n", shmem_my_pe(), name);
}

#define BARE(...) __VA_ARGS__
/* A function, without a context, with the default one, and with one that was made. `x` and `y`: where the results go, if any. */
#define TRY(name, x, y, for_a, for_b)     \
  begin(first, sizeof first);             \
  x shmem_##name for_a;                   \
  y pshmem_##name for_b;                  \
  compare("shmem_" #name);                \
  for (int k = 0; k < 2; ++k) {           \
    const shmem_ctx_t ctx = ctxs[k];      \
    begin(first, sizeof first);           \
    x shmem_ctx_##name(ctx, BARE for_a);  \
    y pshmem_ctx_##name(ctx, BARE for_b); \
    compare("shmem_ctx_" #name);          \
  }

/* Atomics of word 1: with the arguments behind it. */
#define TRY_CHANGE(name, ...) TRY(name, , , (a + 1, __VA_ARGS__), (b + 1, __VA_ARGS__))
#define TRY_FETCH(name, ...)                                                      \
  TRY(name, from_a[0] =, from_b[0] =, (a + 1, __VA_ARGS__), (b + 1, __VA_ARGS__)) \
  TRY(name##_nbi, , , (from_a, a + 1, __VA_ARGS__), (from_b, b + 1, __VA_ARGS__))

/* Copies of a number of elements that the compiler knows, and of 8 bytes. */
#define TRY_COPIES(put, get, octets)                                                     \
  TRY(put, , , (a + 1, source, kCopied, next), (b + 1, source, kCopied, next))           \
  TRY(get, , , (from_a, a + 1, kCopied, next), (from_b, b + 1, kCopied, next))           \
  if (octets <= 8) {                                                                     \
    known_later = 8 / octets;                                                            \
    TRY(put, , , (a + 1, source, known_later, next), (b + 1, source, known_later, next)) \
    TRY(get, , , (from_a, a + 1, known_later, next), (from_b, b + 1, known_later, next)) \
  }                                                                                      \
  if (shift == 0) {                                                                      \
    known_later = 5;                                                                     \
    TRY(put, , , (a + 1, source, known_later, next), (b + 1, source, known_later, next)) \
    TRY(get, , , (from_a, a + 1, known_later, next), (from_b, b + 1, known_later, next)) \
  }

#define SHMEM_INLINE_RMA(N, T)                                         \
  static void rma_##N(void) {                                          \
    BEGIN(T);                                                          \
    SOURCE(T);                                                         \
    TRY(N##_p, , , (a + 1, (T)77, next), (b + 1, (T)77, next))         \
    TRY(N##_g, from_a[0] =, from_b[0] =, (a + 1, next), (b + 1, next)) \
    TRY_COPIES(N##_put, N##_get, sizeof(T))                            \
    TRY_COPIES(N##_put_nbi, N##_get_nbi, sizeof(T))                    \
  }
/* Elements of size bytes, in an array of which each has 16. */
#define SHMEM_INLINE_SIZED(N, octets)              \
  static void sized_##N(void) {                    \
    BEGIN(long double);                            \
    SOURCE(long double);                           \
    TRY_COPIES(put##N, get##N, octets)             \
    TRY_COPIES(put##N##_nbi, get##N##_nbi, octets) \
  }
#define SHMEM_INLINE_MOVING(N, T)           \
  static void moving_##N(void) {            \
    BEGIN(T);                               \
    TRY_FETCH(N##_atomic_fetch, next)       \
    TRY_CHANGE(N##_atomic_set, (T)77, next) \
    TRY_FETCH(N##_atomic_swap, (T)77, next) \
  }
#define SHMEM_INLINE_COUNTING(N, T)                       \
  static void counting_##N(void) {                        \
    BEGIN(T);                                             \
    TRY_FETCH(N##_atomic_compare_swap, (T)6, (T)77, next) \
    TRY_FETCH(N##_atomic_compare_swap, (T)7, (T)77, next) \
    TRY_FETCH(N##_atomic_fetch_inc, next)                 \
    TRY_CHANGE(N##_atomic_inc, next)                      \
    TRY_FETCH(N##_atomic_fetch_add, (T)77, next)          \
    TRY_CHANGE(N##_atomic_add, (T)77, next)               \
  }
#define SHMEM_INLINE_BITWISE(N, T)               \
  static void bitwise_##N(void) {                \
    BEGIN(T);                                    \
    TRY_FETCH(N##_atomic_fetch_and, (T)76, next) \
    TRY_CHANGE(N##_atomic_and, (T)76, next)      \
    TRY_FETCH(N##_atomic_fetch_or, (T)76, next)  \
    TRY_CHANGE(N##_atomic_or, (T)76, next)       \
    TRY_FETCH(N##_atomic_fetch_xor, (T)76, next) \
    TRY_CHANGE(N##_atomic_xor, (T)76, next)      \
  }
#include <halocline/shmem/inline_functions.h>
#undef SHMEM_INLINE_RMA
#undef SHMEM_INLINE_SIZED
#undef SHMEM_INLINE_MOVING
#undef SHMEM_INLINE_COUNTING
#undef SHMEM_INLINE_BITWISE

static void try_all(void) {
#define SHMEM_INLINE_RMA(N, T) rma_##N();
#define SHMEM_INLINE_SIZED(N, octets) sized_##N();
#define SHMEM_INLINE_MOVING(N, T) moving_##N();
#define SHMEM_INLINE_COUNTING(N, T) counting_##N();
#define SHMEM_INLINE_BITWISE(N, T) bitwise_##N();
#include <halocline/shmem/inline_functions.h>
}

#ifdef HALOCLINE_SHMEM_INLINE_H
/* Numbers of a team's context are not those of the world: its functions are called. */
static void try_a_team(void) {
  const int pes = shmem_n_pes();
  shmem_team_t team;
  shmem_ctx_t ctx;
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team) != 0 || shmem_team_create_ctx(team, 0, &ctx) != 0) return;
  memset(there_inlined, 0, 2 * kBytes);
  shmem_ctx_long_p(ctx, (long *)inlined, 5, next);
  shmem_ctx_long_atomic_add(ctx, (long *)inlined, 2, next);
  shmem_ctx_quiet(ctx);
  ++checks;
  failures += *(long *)there_inlined != 7;
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(team);
}
#endif

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  next = (me + 1) % shmem_n_pes();
  inlined = shmem_malloc(2 * kBytes);
  called = shmem_malloc(2 * kBytes);
  there_inlined = shmem_ptr(inlined, next);
  there_called = shmem_ptr(called, next);
  if (!there_inlined || !there_called || shmem_ctx_create(0, &ctxs[1]) != 0) shmem_global_exit(2);
  if (shmem_near_1.bytes == 0) {
    fprintf(stderr, "PE %d: the inline forms call the library\n", me);
    shmem_global_exit(3);
  }
  try_all();
#ifdef HALOCLINE_SHMEM_INLINE_H
  shift = kBytes;
  shmem_near_1.parts += shift;
  try_all();
  try_a_team();
  shmem_near_1.parts -= shift;
#endif
  shmem_ctx_fence(ctxs[1]);
  shmem_fence();
  shmem_quiet();
  shmem_ctx_destroy(ctxs[1]);
  if (failures > 0) shmem_global_exit(1);
  shmem_finalize();
  if (me == 0) printf("%d passed, 0 failed, 0 skipped\n", checks);
  return 0;
}
