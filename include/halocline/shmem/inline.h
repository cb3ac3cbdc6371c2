/*
 * Inline forms of put and get of few bytes, of atomics, fence and quiet: what reaches the heap of a PE of this node is a store, a load or an
 * atomic instruction in the program itself. All else, and every wrong call, is a call of the function of the same name in the library. So these
 * functions keep their addresses, and a profiling tool that replaces one of them sees all calls: shmem_init then leaves
 * shmem_near_1.bytes at 0. SHMEM_NO_INLINE leaves this file out, as does compiling without optimisation. Programs include shmem.h.
 *
 * inline_functions.h, written by scripts/shmem_interface.py, lists the types.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_SHMEM_INLINE_H
#define HALOCLINE_SHMEM_INLINE_H

/* clang-format off */
#ifdef __cplusplus
extern "C" {
#define SHMEM_INLINE_AS(type, value) reinterpret_cast<type>(value)
#define SHMEM_INLINE_NUMBER(type, value) static_cast<type>(value)
#else
#define SHMEM_INLINE_AS(type, value) ((type)(value))
#define SHMEM_INLINE_NUMBER(type, value) ((type)(value))
#endif
/* A definition for inlining alone: the function itself is in the library, and a program may define it once more. */
#define SHMEM_INLINE extern __inline__ __attribute__((gnu_inline, always_inline, artificial))
#define SHMEM_INLINE_LIKELY(condition) __builtin_expect(!!(condition), 1)
/* To the compiler an inline function changes all memory, as a call does: a loop of gets reads each time, and a PE's own objects may be reached
 * at two addresses. */
#define SHMEM_INLINE_BARRIER() __asm__ __volatile__("" : : : "memory")
/* The function in the library as shmem_called_NAME. */
#define SHMEM_INLINE_CALLED(result, name, arguments) extern result shmem_called_##name arguments __asm__("shmem_" #name);

/* Whether bytes of a PE, at most 64 of them, are in the heap of one of this node. */
SHMEM_INLINE int shmem_inline_reaches(const void *symmetric, size_t bytes, int pe) {
  const size_t offset = SHMEM_INLINE_AS(uintptr_t, symmetric) - shmem_near_1.begin;
  const unsigned member = SHMEM_INLINE_NUMBER(unsigned, pe) - shmem_near_1.first;
  return offset <= shmem_near_1.bytes - bytes && member < shmem_near_1.members;
}
/* Where they are in this process. */
SHMEM_INLINE char *shmem_inline_address(const void *symmetric, int pe) {
  const size_t offset = SHMEM_INLINE_AS(uintptr_t, symmetric) - shmem_near_1.begin;
  const unsigned member = SHMEM_INLINE_NUMBER(unsigned, pe) - shmem_near_1.first;
  return shmem_near_1.parts + member * shmem_near_1.stride + offset;
}
/* The same for a word of an atomic, which has to be aligned. */
SHMEM_INLINE int shmem_inline_reaches_word(const void *symmetric, size_t bytes, int pe) {
  return SHMEM_INLINE_LIKELY((SHMEM_INLINE_AS(uintptr_t, symmetric) & (bytes - 1)) == 0) && shmem_inline_reaches(symmetric, bytes, pe);
}
/* Whether so many elements are copied here: up to 64 bytes if the compiler knows the number, else 8 bytes. */
SHMEM_INLINE int shmem_inline_is_short(size_t nelems, size_t size) {
  if (__builtin_constant_p(nelems)) return nelems - 1 < 64 / size;
  return size <= 8 && nelems == 8 / size;
}
SHMEM_INLINE const struct shmem_ctx_s *shmem_inline_ctx(shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_DEFAULT ? shmem_near_1.default_ctx : ctx;
}
SHMEM_INLINE int shmem_inline_of_world(shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_DEFAULT || (ctx != SHMEM_CTX_INVALID && ctx->of_world);
}
/* Whether quiet has nothing to wait for. */
SHMEM_INLINE int shmem_inline_is_quiet(const struct shmem_ctx_s *ctx) {
  return shmem_near_1.bytes != 0 && __atomic_load_n(&ctx->far_used, __ATOMIC_RELAXED) == 0;
}
/* SYNC put-before-flush (pairs with the message that tells the target): also a later get does not pass an earlier put. clang 14 would take mfence,
 * which takes several times as long. */
SHMEM_INLINE void shmem_inline_full_fence(void) {
#if defined(__x86_64__) && defined(__clang__)
  __asm__ __volatile__("lock; orl $0, (%%rsp)" : : : "memory", "cc");
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* ---------------------------------------------------------------- put and get */

#define SHMEM_INLINE_PUT_AND_GET(N, T) \
  SHMEM_INLINE_CALLED(void, N##_p, (T *, T, int)) \
  SHMEM_INLINE_CALLED(void, ctx_##N##_p, (shmem_ctx_t, T *, T, int)) \
  SHMEM_INLINE_CALLED(T, N##_g, (const T *, int)) \
  SHMEM_INLINE_CALLED(T, ctx_##N##_g, (shmem_ctx_t, const T *, int)) \
  SHMEM_INLINE void shmem_inline_##N##_store(T *dest, T value, int pe) { \
    volatile T *const place = SHMEM_INLINE_AS(volatile T *, shmem_inline_address(dest, pe)); \
    SHMEM_INLINE_BARRIER(); \
    *place = value; \
    SHMEM_INLINE_BARRIER(); \
  } \
  SHMEM_INLINE T shmem_inline_##N##_load(const T *source, int pe) { \
    const volatile T *const place = SHMEM_INLINE_AS(const volatile T *, shmem_inline_address(source, pe)); \
    T value; \
    SHMEM_INLINE_BARRIER(); \
    value = *place; \
    SHMEM_INLINE_BARRIER(); \
    return value; \
  } \
  SHMEM_INLINE void shmem_##N##_p(T *dest, T value, int pe) { \
    if (SHMEM_INLINE_LIKELY(shmem_inline_reaches(dest, sizeof(T), pe))) \
      shmem_inline_##N##_store(dest, value, pe); \
    else \
      shmem_called_##N##_p(dest, value, pe); \
  } \
  SHMEM_INLINE void shmem_ctx_##N##_p(shmem_ctx_t ctx, T *dest, T value, int pe) { \
    if (SHMEM_INLINE_LIKELY(shmem_inline_of_world(ctx) && shmem_inline_reaches(dest, sizeof(T), pe))) \
      shmem_inline_##N##_store(dest, value, pe); \
    else \
      shmem_called_ctx_##N##_p(ctx, dest, value, pe); \
  } \
  SHMEM_INLINE T shmem_##N##_g(const T *source, int pe) { \
    if (SHMEM_INLINE_LIKELY(!shmem_near_1.has_others && shmem_inline_reaches(source, sizeof(T), pe))) \
      return shmem_inline_##N##_load(source, pe); \
    return shmem_called_##N##_g(source, pe); \
  } \
  SHMEM_INLINE T shmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe) { \
    if (SHMEM_INLINE_LIKELY(!shmem_near_1.has_others && shmem_inline_of_world(ctx) && shmem_inline_reaches(source, sizeof(T), pe))) \
      return shmem_inline_##N##_load(source, pe); \
    return shmem_called_ctx_##N##_g(ctx, source, pe); \
  }

SHMEM_INLINE void shmem_inline_copy(void *dest, const void *source, size_t bytes) {
  SHMEM_INLINE_BARRIER();
  __builtin_memcpy(dest, source, bytes);
  SHMEM_INLINE_BARRIER();
}

/* A function without and with a context that copies `size` bytes per element if it can. */
#define SHMEM_INLINE_COPIES(name, T, size, symmetric, local, there, here) \
  SHMEM_INLINE_CALLED(void, name, (T *, const T *, size_t, int)) \
  SHMEM_INLINE_CALLED(void, ctx_##name, (shmem_ctx_t, T *, const T *, size_t, int)) \
  SHMEM_INLINE void shmem_##name(T *dest, const T *source, size_t nelems, int pe) { \
    if (shmem_inline_is_short(nelems, size) && SHMEM_INLINE_LIKELY(local && shmem_inline_reaches(symmetric, nelems * (size), pe))) \
      shmem_inline_copy(there, here, __builtin_constant_p(nelems) ? nelems * (size) : 8); \
    else \
      shmem_called_##name(dest, source, nelems, pe); \
  } \
  SHMEM_INLINE void shmem_ctx_##name(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe) { \
    if (shmem_inline_is_short(nelems, size) && \
        SHMEM_INLINE_LIKELY(local && shmem_inline_of_world(ctx) && shmem_inline_reaches(symmetric, nelems * (size), pe))) \
      shmem_inline_copy(there, here, __builtin_constant_p(nelems) ? nelems * (size) : 8); \
    else \
      shmem_called_ctx_##name(ctx, dest, source, nelems, pe); \
  }
#define SHMEM_INLINE_PUT(name, T, size) SHMEM_INLINE_COPIES(name, T, size, dest, source, shmem_inline_address(dest, pe), source)
#define SHMEM_INLINE_GET(name, T, size) \
  SHMEM_INLINE_COPIES(name, T, size, source, dest && !shmem_near_1.has_others, dest, shmem_inline_address(source, pe))

#define SHMEM_INLINE_RMA(N, T) \
  SHMEM_INLINE_PUT_AND_GET(N, T) \
  SHMEM_INLINE_PUT(N##_put, T, sizeof(T)) \
  SHMEM_INLINE_PUT(N##_put_nbi, T, sizeof(T)) \
  SHMEM_INLINE_GET(N##_get, T, sizeof(T)) \
  SHMEM_INLINE_GET(N##_get_nbi, T, sizeof(T))
#define SHMEM_INLINE_SIZED(N, octets) \
  SHMEM_INLINE_PUT(put##N, void, octets) \
  SHMEM_INLINE_PUT(put##N##_nbi, void, octets) \
  SHMEM_INLINE_GET(get##N, void, octets) \
  SHMEM_INLINE_GET(get##N##_nbi, void, octets)

/* ---------------------------------------------------------------- atomics */

#define SHMEM_INLINE_BARE(...) __VA_ARGS__
/* Where the word of a PE is, as `word` of the type. */
#define SHMEM_INLINE_WORD(T, word) SHMEM_INLINE_AS(T *, shmem_inline_address(word, pe))
/* A function without and with a context, that returns nothing: its parameters with their types, and without, which of them is the word, and
 * what is done. */
#define SHMEM_INLINE_CHANGE(...) SHMEM_INLINE_CHANGE_WHERE(1, __VA_ARGS__)
#define SHMEM_INLINE_CHANGE_WHERE(may, name, T, typed, names, word, work) \
  SHMEM_INLINE_CALLED(void, name, (SHMEM_INLINE_BARE typed, int pe)) \
  SHMEM_INLINE_CALLED(void, ctx_##name, (shmem_ctx_t ctx, SHMEM_INLINE_BARE typed, int pe)) \
  SHMEM_INLINE void shmem_##name(SHMEM_INLINE_BARE typed, int pe) { \
    if (SHMEM_INLINE_LIKELY(may && shmem_inline_reaches_word(word, sizeof(T), pe))) \
      work; \
    else \
      shmem_called_##name(SHMEM_INLINE_BARE names, pe); \
  } \
  SHMEM_INLINE void shmem_ctx_##name(shmem_ctx_t ctx, SHMEM_INLINE_BARE typed, int pe) { \
    if (SHMEM_INLINE_LIKELY(may && shmem_inline_of_world(ctx) && shmem_inline_reaches_word(word, sizeof(T), pe))) \
      work; \
    else \
      shmem_called_ctx_##name(ctx, SHMEM_INLINE_BARE names, pe); \
  }
/* The same with a result, and its non-blocking form, which is complete when it returns. A program may repeat it until another PE has changed the
 * word: where there are other nodes, the library serves these meanwhile. */
#define SHMEM_INLINE_FETCH(name, T, typed, names, word, work) \
  SHMEM_INLINE_CALLED(T, name, (SHMEM_INLINE_BARE typed, int pe)) \
  SHMEM_INLINE_CALLED(T, ctx_##name, (shmem_ctx_t ctx, SHMEM_INLINE_BARE typed, int pe)) \
  SHMEM_INLINE T shmem_##name(SHMEM_INLINE_BARE typed, int pe) { \
    if (SHMEM_INLINE_LIKELY(!shmem_near_1.has_others && shmem_inline_reaches_word(word, sizeof(T), pe))) return work; \
    return shmem_called_##name(SHMEM_INLINE_BARE names, pe); \
  } \
  SHMEM_INLINE T shmem_ctx_##name(shmem_ctx_t ctx, SHMEM_INLINE_BARE typed, int pe) { \
    if (SHMEM_INLINE_LIKELY(!shmem_near_1.has_others && shmem_inline_of_world(ctx) && shmem_inline_reaches_word(word, sizeof(T), pe))) return work; \
    return shmem_called_ctx_##name(ctx, SHMEM_INLINE_BARE names, pe); \
  } \
  SHMEM_INLINE_CHANGE_WHERE(fetch && !shmem_near_1.has_others, name##_nbi, T, (T *fetch, SHMEM_INLINE_BARE typed), (fetch, SHMEM_INLINE_BARE names), word, *fetch = work)

#define SHMEM_INLINE_MOVING(N, T) \
  SHMEM_INLINE T shmem_inline_##N##_fetch(const T *word) { \
    T value; \
    SHMEM_INLINE_BARRIER(); \
    __atomic_load(word, &value, __ATOMIC_RELAXED); \
    SHMEM_INLINE_BARRIER(); \
    return value; \
  } \
  SHMEM_INLINE void shmem_inline_##N##_set(T *word, T value) { \
    SHMEM_INLINE_BARRIER(); \
    __atomic_store(word, &value, __ATOMIC_RELAXED); \
    SHMEM_INLINE_BARRIER(); \
  } \
  SHMEM_INLINE T shmem_inline_##N##_swap(T *word, T value) { \
    T old; \
    __atomic_exchange(word, &value, &old, __ATOMIC_SEQ_CST); \
    return old; \
  } \
  SHMEM_INLINE_FETCH(N##_atomic_fetch, T, (const T *source), (source), source, shmem_inline_##N##_fetch(SHMEM_INLINE_WORD(T, source))) \
  SHMEM_INLINE_CHANGE(N##_atomic_set, T, (T *dest, T value), (dest, value), dest, shmem_inline_##N##_set(SHMEM_INLINE_WORD(T, dest), value)) \
  SHMEM_INLINE_FETCH(N##_atomic_swap, T, (T *dest, T value), (dest, value), dest, shmem_inline_##N##_swap(SHMEM_INLINE_WORD(T, dest), value))

#define SHMEM_INLINE_ADDED(T, value) __atomic_fetch_add(SHMEM_INLINE_WORD(T, dest), value, __ATOMIC_SEQ_CST)
#define SHMEM_INLINE_COUNTING(N, T) \
  SHMEM_INLINE T shmem_inline_##N##_compare_swap(T *word, T cond, T value) { \
    __atomic_compare_exchange_n(word, &cond, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return cond; \
  } \
  SHMEM_INLINE_FETCH(N##_atomic_compare_swap, T, (T *dest, T cond, T value), (dest, cond, value), dest, \
                     shmem_inline_##N##_compare_swap(SHMEM_INLINE_WORD(T, dest), cond, value)) \
  SHMEM_INLINE_FETCH(N##_atomic_fetch_inc, T, (T *dest), (dest), dest, SHMEM_INLINE_ADDED(T, SHMEM_INLINE_NUMBER(T, 1))) \
  SHMEM_INLINE_CHANGE(N##_atomic_inc, T, (T *dest), (dest), dest, SHMEM_INLINE_ADDED(T, SHMEM_INLINE_NUMBER(T, 1))) \
  SHMEM_INLINE_FETCH(N##_atomic_fetch_add, T, (T *dest, T value), (dest, value), dest, SHMEM_INLINE_ADDED(T, value)) \
  SHMEM_INLINE_CHANGE(N##_atomic_add, T, (T *dest, T value), (dest, value), dest, SHMEM_INLINE_ADDED(T, value))

#define SHMEM_INLINE_BITS(N, T, operation) \
  SHMEM_INLINE_FETCH(N##_atomic_fetch_##operation, T, (T *dest, T value), (dest, value), dest, \
                     __atomic_fetch_##operation(SHMEM_INLINE_WORD(T, dest), value, __ATOMIC_SEQ_CST)) \
  SHMEM_INLINE_CHANGE(N##_atomic_##operation, T, (T *dest, T value), (dest, value), dest, \
                      __atomic_fetch_##operation(SHMEM_INLINE_WORD(T, dest), value, __ATOMIC_SEQ_CST))
#define SHMEM_INLINE_BITWISE(N, T) SHMEM_INLINE_BITS(N, T, and) SHMEM_INLINE_BITS(N, T, or) SHMEM_INLINE_BITS(N, T, xor)

/* ---------------------------------------------------------------- ordering */

SHMEM_INLINE_CALLED(void, fence, (void))
SHMEM_INLINE_CALLED(void, ctx_fence, (shmem_ctx_t))
SHMEM_INLINE_CALLED(void, quiet, (void))
SHMEM_INLINE_CALLED(void, ctx_quiet, (shmem_ctx_t))

SHMEM_INLINE void shmem_fence(void) {
  /* SYNC put-before-flush (pairs with the message that tells the target) */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  if (!SHMEM_INLINE_LIKELY(shmem_inline_is_quiet(shmem_near_1.default_ctx))) shmem_called_fence();
}
SHMEM_INLINE void shmem_ctx_fence(shmem_ctx_t ctx) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  if (!SHMEM_INLINE_LIKELY(ctx != SHMEM_CTX_INVALID && shmem_inline_is_quiet(shmem_inline_ctx(ctx)))) shmem_called_ctx_fence(ctx);
}
SHMEM_INLINE void shmem_quiet(void) {
  shmem_inline_full_fence();
  if (!SHMEM_INLINE_LIKELY(shmem_inline_is_quiet(shmem_near_1.default_ctx))) shmem_called_quiet();
}
SHMEM_INLINE void shmem_ctx_quiet(shmem_ctx_t ctx) {
  shmem_inline_full_fence();
  if (!SHMEM_INLINE_LIKELY(ctx != SHMEM_CTX_INVALID && shmem_inline_is_quiet(shmem_inline_ctx(ctx)))) shmem_called_ctx_quiet(ctx);
}

#include <halocline/shmem/inline_functions.h>

#undef SHMEM_INLINE_AS
#undef SHMEM_INLINE_NUMBER
#undef SHMEM_INLINE
#undef SHMEM_INLINE_LIKELY
#undef SHMEM_INLINE_BARRIER
#undef SHMEM_INLINE_CALLED
#undef SHMEM_INLINE_PUT_AND_GET
#undef SHMEM_INLINE_COPIES
#undef SHMEM_INLINE_PUT
#undef SHMEM_INLINE_GET
#undef SHMEM_INLINE_RMA
#undef SHMEM_INLINE_SIZED
#undef SHMEM_INLINE_BARE
#undef SHMEM_INLINE_WORD
#undef SHMEM_INLINE_CHANGE
#undef SHMEM_INLINE_FETCH
#undef SHMEM_INLINE_CHANGE_WHERE
#undef SHMEM_INLINE_MOVING
#undef SHMEM_INLINE_ADDED
#undef SHMEM_INLINE_COUNTING
#undef SHMEM_INLINE_BITS
#undef SHMEM_INLINE_BITWISE

#ifdef __cplusplus
}
#endif
/* clang-format on */
#endif /* HALOCLINE_SHMEM_INLINE_H */
