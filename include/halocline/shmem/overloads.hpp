// The generic functions of OpenSHMEM 1.5 as overloads for C++: shmem_put(double *, ...) calls shmem_double_put. A context may precede the
// other arguments. Programs include shmem.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// clang-format off
/* The types of put, get and collective copies. */
#define SHMEM_OF_RMA(X) \
    X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) X(short, short) X(int, int) \
    X(long, long) X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) \
    X(ulong, unsigned long) X(ulonglong, unsigned long long)
/* The types of atomics of integers. */
#define SHMEM_OF_AMO(X) \
    X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
/* The types of fetch, set and swap. */
#define SHMEM_OF_EXTENDED_AMO(X) \
    X(float, float) X(double, double) X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long) \
    X(ulonglong, unsigned long long)
/* The types of bitwise atomics. */
#define SHMEM_OF_BITWISE_AMO(X) \
    X(int32, int) X(int64, long) X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
/* The types of waits and tests. */
#define SHMEM_OF_WAIT(X) \
    X(short, short) X(int, int) X(long, long) X(longlong, long long) X(ushort, unsigned short) X(uint, unsigned int) \
    X(ulong, unsigned long) X(ulonglong, unsigned long long)
/* The types of bitwise reductions. */
#define SHMEM_OF_BITS(X) \
    X(int8, signed char) X(int16, short) X(int32, int) X(int64, long) X(uchar, unsigned char) X(ushort, unsigned short) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
/* The types of sums and products. */
#define SHMEM_OF_NUMBERS(X) \
    X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) X(short, short) X(int, int) \
    X(long, long) X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(complexf, std::complex<float>) X(complexd, std::complex<double>)
/* The types of deprecated names of atomics. */
#define SHMEM_OF_OLD_AMO(X) \
    X(int, int) X(long, long) X(longlong, long long)
/* The types of deprecated names of fetch, set and swap. */
#define SHMEM_OF_OLD_EXTENDED_AMO(X) \
    X(float, float) X(double, double) X(int, int) X(long, long) X(longlong, long long)
/* The types of the deprecated shmem_wait. */
#define SHMEM_OF_OLD_WAIT(X) \
    X(short, short) X(int, int) X(long, long) X(longlong, long long)

#define SHMEM_RMA(N, T) \
  inline void shmem_put(T *dest, const T *source, size_t nelems, int pe) { shmem_##N##_put(dest, source, nelems, pe); } \
  inline void shmem_put(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe) { shmem_ctx_##N##_put(ctx, dest, source, nelems, pe); } \
  inline void shmem_p(T *dest, T value, int pe) { shmem_##N##_p(dest, value, pe); } \
  inline void shmem_p(shmem_ctx_t ctx, T *dest, T value, int pe) { shmem_ctx_##N##_p(ctx, dest, value, pe); } \
  inline void shmem_iput(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { shmem_##N##_iput(dest, source, dst, sst, nelems, pe); } \
  inline void shmem_iput(shmem_ctx_t ctx, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { shmem_ctx_##N##_iput(ctx, dest, source, dst, sst, nelems, pe); } \
  inline void shmem_get(T *dest, const T *source, size_t nelems, int pe) { shmem_##N##_get(dest, source, nelems, pe); } \
  inline void shmem_get(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe) { shmem_ctx_##N##_get(ctx, dest, source, nelems, pe); } \
  inline T shmem_g(const T *source, int pe) { return shmem_##N##_g(source, pe); } \
  inline T shmem_g(shmem_ctx_t ctx, const T *source, int pe) { return shmem_ctx_##N##_g(ctx, source, pe); } \
  inline void shmem_iget(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { shmem_##N##_iget(dest, source, dst, sst, nelems, pe); } \
  inline void shmem_iget(shmem_ctx_t ctx, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { shmem_ctx_##N##_iget(ctx, dest, source, dst, sst, nelems, pe); } \
  inline void shmem_put_nbi(T *dest, const T *source, size_t nelems, int pe) { shmem_##N##_put_nbi(dest, source, nelems, pe); } \
  inline void shmem_put_nbi(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe) { shmem_ctx_##N##_put_nbi(ctx, dest, source, nelems, pe); } \
  inline void shmem_get_nbi(T *dest, const T *source, size_t nelems, int pe) { shmem_##N##_get_nbi(dest, source, nelems, pe); } \
  inline void shmem_get_nbi(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe) { shmem_ctx_##N##_get_nbi(ctx, dest, source, nelems, pe); }
SHMEM_OF_RMA(SHMEM_RMA)
#undef SHMEM_RMA

#define SHMEM_SIGNALLED(N, T) \
  inline void shmem_put_signal(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { shmem_##N##_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe); } \
  inline void shmem_put_signal(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { shmem_ctx_##N##_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe); } \
  inline void shmem_put_signal_nbi(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { shmem_##N##_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe); } \
  inline void shmem_put_signal_nbi(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) { shmem_ctx_##N##_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe); }
SHMEM_OF_RMA(SHMEM_SIGNALLED)
#undef SHMEM_SIGNALLED

#define SHMEM_EXTENDED(N, T) \
  inline T shmem_atomic_fetch(const T *source, int pe) { return shmem_##N##_atomic_fetch(source, pe); } \
  inline T shmem_atomic_fetch(shmem_ctx_t ctx, const T *source, int pe) { return shmem_ctx_##N##_atomic_fetch(ctx, source, pe); } \
  inline void shmem_atomic_set(T *dest, T value, int pe) { shmem_##N##_atomic_set(dest, value, pe); } \
  inline void shmem_atomic_set(shmem_ctx_t ctx, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_set(ctx, dest, value, pe); } \
  inline T shmem_atomic_swap(T *dest, T value, int pe) { return shmem_##N##_atomic_swap(dest, value, pe); } \
  inline T shmem_atomic_swap(shmem_ctx_t ctx, T *dest, T value, int pe) { return shmem_ctx_##N##_atomic_swap(ctx, dest, value, pe); } \
  inline void shmem_atomic_fetch_nbi(T *fetch, const T *source, int pe) { shmem_##N##_atomic_fetch_nbi(fetch, source, pe); } \
  inline void shmem_atomic_fetch_nbi(shmem_ctx_t ctx, T *fetch, const T *source, int pe) { shmem_ctx_##N##_atomic_fetch_nbi(ctx, fetch, source, pe); } \
  inline void shmem_atomic_swap_nbi(T *fetch, T *dest, T value, int pe) { shmem_##N##_atomic_swap_nbi(fetch, dest, value, pe); } \
  inline void shmem_atomic_swap_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_swap_nbi(ctx, fetch, dest, value, pe); }
SHMEM_OF_EXTENDED_AMO(SHMEM_EXTENDED)
#undef SHMEM_EXTENDED

#define SHMEM_STANDARD(N, T) \
  inline T shmem_atomic_compare_swap(T *dest, T cond, T value, int pe) { return shmem_##N##_atomic_compare_swap(dest, cond, value, pe); } \
  inline T shmem_atomic_compare_swap(shmem_ctx_t ctx, T *dest, T cond, T value, int pe) { return shmem_ctx_##N##_atomic_compare_swap(ctx, dest, cond, value, pe); } \
  inline T shmem_atomic_fetch_inc(T *dest, int pe) { return shmem_##N##_atomic_fetch_inc(dest, pe); } \
  inline T shmem_atomic_fetch_inc(shmem_ctx_t ctx, T *dest, int pe) { return shmem_ctx_##N##_atomic_fetch_inc(ctx, dest, pe); } \
  inline void shmem_atomic_inc(T *dest, int pe) { shmem_##N##_atomic_inc(dest, pe); } \
  inline void shmem_atomic_inc(shmem_ctx_t ctx, T *dest, int pe) { shmem_ctx_##N##_atomic_inc(ctx, dest, pe); } \
  inline T shmem_atomic_fetch_add(T *dest, T value, int pe) { return shmem_##N##_atomic_fetch_add(dest, value, pe); } \
  inline T shmem_atomic_fetch_add(shmem_ctx_t ctx, T *dest, T value, int pe) { return shmem_ctx_##N##_atomic_fetch_add(ctx, dest, value, pe); } \
  inline void shmem_atomic_add(T *dest, T value, int pe) { shmem_##N##_atomic_add(dest, value, pe); } \
  inline void shmem_atomic_add(shmem_ctx_t ctx, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_add(ctx, dest, value, pe); } \
  inline void shmem_atomic_compare_swap_nbi(T *fetch, T *dest, T cond, T value, int pe) { shmem_##N##_atomic_compare_swap_nbi(fetch, dest, cond, value, pe); } \
  inline void shmem_atomic_compare_swap_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T cond, T value, int pe) { shmem_ctx_##N##_atomic_compare_swap_nbi(ctx, fetch, dest, cond, value, pe); } \
  inline void shmem_atomic_fetch_inc_nbi(T *fetch, T *dest, int pe) { shmem_##N##_atomic_fetch_inc_nbi(fetch, dest, pe); } \
  inline void shmem_atomic_fetch_inc_nbi(shmem_ctx_t ctx, T *fetch, T *dest, int pe) { shmem_ctx_##N##_atomic_fetch_inc_nbi(ctx, fetch, dest, pe); } \
  inline void shmem_atomic_fetch_add_nbi(T *fetch, T *dest, T value, int pe) { shmem_##N##_atomic_fetch_add_nbi(fetch, dest, value, pe); } \
  inline void shmem_atomic_fetch_add_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_fetch_add_nbi(ctx, fetch, dest, value, pe); }
SHMEM_OF_AMO(SHMEM_STANDARD)
#undef SHMEM_STANDARD

#define SHMEM_BITWISE(N, T) \
  inline void shmem_atomic_and(T *dest, T value, int pe) { shmem_##N##_atomic_and(dest, value, pe); } \
  inline void shmem_atomic_and(shmem_ctx_t ctx, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_and(ctx, dest, value, pe); } \
  inline T shmem_atomic_fetch_and(T *dest, T value, int pe) { return shmem_##N##_atomic_fetch_and(dest, value, pe); } \
  inline T shmem_atomic_fetch_and(shmem_ctx_t ctx, T *dest, T value, int pe) { return shmem_ctx_##N##_atomic_fetch_and(ctx, dest, value, pe); } \
  inline void shmem_atomic_fetch_and_nbi(T *fetch, T *dest, T value, int pe) { shmem_##N##_atomic_fetch_and_nbi(fetch, dest, value, pe); } \
  inline void shmem_atomic_fetch_and_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_fetch_and_nbi(ctx, fetch, dest, value, pe); } \
  inline void shmem_atomic_or(T *dest, T value, int pe) { shmem_##N##_atomic_or(dest, value, pe); } \
  inline void shmem_atomic_or(shmem_ctx_t ctx, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_or(ctx, dest, value, pe); } \
  inline T shmem_atomic_fetch_or(T *dest, T value, int pe) { return shmem_##N##_atomic_fetch_or(dest, value, pe); } \
  inline T shmem_atomic_fetch_or(shmem_ctx_t ctx, T *dest, T value, int pe) { return shmem_ctx_##N##_atomic_fetch_or(ctx, dest, value, pe); } \
  inline void shmem_atomic_fetch_or_nbi(T *fetch, T *dest, T value, int pe) { shmem_##N##_atomic_fetch_or_nbi(fetch, dest, value, pe); } \
  inline void shmem_atomic_fetch_or_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_fetch_or_nbi(ctx, fetch, dest, value, pe); } \
  inline void shmem_atomic_xor(T *dest, T value, int pe) { shmem_##N##_atomic_xor(dest, value, pe); } \
  inline void shmem_atomic_xor(shmem_ctx_t ctx, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_xor(ctx, dest, value, pe); } \
  inline T shmem_atomic_fetch_xor(T *dest, T value, int pe) { return shmem_##N##_atomic_fetch_xor(dest, value, pe); } \
  inline T shmem_atomic_fetch_xor(shmem_ctx_t ctx, T *dest, T value, int pe) { return shmem_ctx_##N##_atomic_fetch_xor(ctx, dest, value, pe); } \
  inline void shmem_atomic_fetch_xor_nbi(T *fetch, T *dest, T value, int pe) { shmem_##N##_atomic_fetch_xor_nbi(fetch, dest, value, pe); } \
  inline void shmem_atomic_fetch_xor_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) { shmem_ctx_##N##_atomic_fetch_xor_nbi(ctx, fetch, dest, value, pe); }
SHMEM_OF_BITWISE_AMO(SHMEM_BITWISE)
#undef SHMEM_BITWISE

#define SHMEM_WAITS(N, T) \
  inline void shmem_wait_until(volatile T *ivar, int cmp, T cmp_value) { shmem_##N##_wait_until(ivar, cmp, cmp_value); } \
  inline int shmem_test(volatile T *ivar, int cmp, T cmp_value) { return shmem_##N##_test(ivar, cmp, cmp_value); } \
  inline void shmem_wait_until_all(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value) { shmem_##N##_wait_until_all(ivars, nelems, status, cmp, cmp_value); } \
  inline size_t shmem_wait_until_any(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value) { return shmem_##N##_wait_until_any(ivars, nelems, status, cmp, cmp_value); } \
  inline size_t shmem_wait_until_some(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value) { return shmem_##N##_wait_until_some(ivars, nelems, indices, status, cmp, cmp_value); } \
  inline int shmem_test_all(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value) { return shmem_##N##_test_all(ivars, nelems, status, cmp, cmp_value); } \
  inline size_t shmem_test_any(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value) { return shmem_##N##_test_any(ivars, nelems, status, cmp, cmp_value); } \
  inline size_t shmem_test_some(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value) { return shmem_##N##_test_some(ivars, nelems, indices, status, cmp, cmp_value); } \
  inline void shmem_wait_until_all_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values) { shmem_##N##_wait_until_all_vector(ivars, nelems, status, cmp, cmp_values); } \
  inline size_t shmem_wait_until_any_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values) { return shmem_##N##_wait_until_any_vector(ivars, nelems, status, cmp, cmp_values); } \
  inline size_t shmem_wait_until_some_vector(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T *cmp_values) { return shmem_##N##_wait_until_some_vector(ivars, nelems, indices, status, cmp, cmp_values); } \
  inline int shmem_test_all_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values) { return shmem_##N##_test_all_vector(ivars, nelems, status, cmp, cmp_values); } \
  inline size_t shmem_test_any_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values) { return shmem_##N##_test_any_vector(ivars, nelems, status, cmp, cmp_values); } \
  inline size_t shmem_test_some_vector(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T *cmp_values) { return shmem_##N##_test_some_vector(ivars, nelems, indices, status, cmp, cmp_values); }
SHMEM_OF_WAIT(SHMEM_WAITS)
#undef SHMEM_WAITS

#define SHMEM_COPIES(N, T) \
  inline int shmem_alltoall(shmem_team_t team, T *dest, const T *source, size_t nelems) { return shmem_##N##_alltoall(team, dest, source, nelems); } \
  inline int shmem_alltoalls(shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems) { return shmem_##N##_alltoalls(team, dest, source, dst, sst, nelems); } \
  inline int shmem_broadcast(shmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root) { return shmem_##N##_broadcast(team, dest, source, nelems, PE_root); } \
  inline int shmem_collect(shmem_team_t team, T *dest, const T *source, size_t nelems) { return shmem_##N##_collect(team, dest, source, nelems); } \
  inline int shmem_fcollect(shmem_team_t team, T *dest, const T *source, size_t nelems) { return shmem_##N##_fcollect(team, dest, source, nelems); }
SHMEM_OF_RMA(SHMEM_COPIES)
#undef SHMEM_COPIES

#define SHMEM_REDUCE_BITS(N, T) \
  inline int shmem_and_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_and_reduce(team, dest, source, nreduce); } \
  inline int shmem_or_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_or_reduce(team, dest, source, nreduce); } \
  inline int shmem_xor_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_xor_reduce(team, dest, source, nreduce); }
SHMEM_OF_BITS(SHMEM_REDUCE_BITS)
#undef SHMEM_REDUCE_BITS

#define SHMEM_REDUCE_ORDER(N, T) \
  inline int shmem_max_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_max_reduce(team, dest, source, nreduce); } \
  inline int shmem_min_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_min_reduce(team, dest, source, nreduce); }
SHMEM_OF_RMA(SHMEM_REDUCE_ORDER)
#undef SHMEM_REDUCE_ORDER

#define SHMEM_REDUCE_NUMBERS(N, T) \
  inline int shmem_sum_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_sum_reduce(team, dest, source, nreduce); } \
  inline int shmem_prod_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) { return shmem_##N##_prod_reduce(team, dest, source, nreduce); }
SHMEM_OF_NUMBERS(SHMEM_REDUCE_NUMBERS)
#undef SHMEM_REDUCE_NUMBERS

inline int shmem_sync(shmem_team_t team) { return shmem_team_sync(team); }

// Deprecated.
#define SHMEM_OLD_EXTENDED(N, T) \
  inline T shmem_swap(T *dest, T value, int pe) { return shmem_##N##_swap(dest, value, pe); } \
  inline T shmem_fetch(const T *source, int pe) { return shmem_##N##_fetch(source, pe); } \
  inline void shmem_set(T *dest, T value, int pe) { shmem_##N##_set(dest, value, pe); }
SHMEM_OF_OLD_EXTENDED_AMO(SHMEM_OLD_EXTENDED)
#undef SHMEM_OLD_EXTENDED

#define SHMEM_OLD_STANDARD(N, T) \
  inline T shmem_cswap(T *dest, T cond, T value, int pe) { return shmem_##N##_cswap(dest, cond, value, pe); } \
  inline T shmem_finc(T *dest, int pe) { return shmem_##N##_finc(dest, pe); } \
  inline void shmem_inc(T *dest, int pe) { shmem_##N##_inc(dest, pe); } \
  inline T shmem_fadd(T *dest, T value, int pe) { return shmem_##N##_fadd(dest, value, pe); } \
  inline void shmem_add(T *dest, T value, int pe) { shmem_##N##_add(dest, value, pe); }
SHMEM_OF_OLD_AMO(SHMEM_OLD_STANDARD)
#undef SHMEM_OLD_STANDARD

#define SHMEM_OLD_WAITS(N, T) \
  inline void shmem_wait(volatile T *ivar, T cmp_value) { shmem_##N##_wait(ivar, cmp_value); }
SHMEM_OF_OLD_WAIT(SHMEM_OLD_WAITS)
#undef SHMEM_OLD_WAITS

#undef SHMEM_OF_RMA
#undef SHMEM_OF_AMO
#undef SHMEM_OF_EXTENDED_AMO
#undef SHMEM_OF_BITWISE_AMO
#undef SHMEM_OF_WAIT
#undef SHMEM_OF_BITS
#undef SHMEM_OF_NUMBERS
#undef SHMEM_OF_OLD_AMO
#undef SHMEM_OF_OLD_EXTENDED_AMO
#undef SHMEM_OF_OLD_WAIT
// clang-format on
