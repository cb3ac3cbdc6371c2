/*
 * The Fortran interface of OpenSHMEM 1.4, which 1.5 no longer has: external procedures with the names that Fortran compilers of Linux make,
 * in lower case with an underscore. Arguments are references, integers of the default kind. shmem.fh declares the functions.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pshmem.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define SHOWN __attribute__((visibility("default")))

/* ---------------------------------------------------------------- setup and queries */

#define NOTHING(name, call) SHOWN void name(void); void name(void) { call(); }
#define NUMBER(name, call) SHOWN int name(void); int name(void) { return call(); }
NOTHING(shmem_init_, shmem_init)
NOTHING(shmem_finalize_, shmem_finalize)
NOTHING(shmem_barrier_all_, shmem_barrier_all)
NOTHING(shmem_sync_all_, shmem_sync_all)
NOTHING(shmem_fence_, shmem_fence)
NOTHING(shmem_quiet_, shmem_quiet)
NOTHING(shmem_set_cache_inv_, shmem_set_cache_inv)
NOTHING(shmem_clear_cache_inv_, shmem_clear_cache_inv)
NOTHING(shmem_udcflush_, shmem_udcflush)
NUMBER(shmem_my_pe_, shmem_my_pe)
NUMBER(shmem_n_pes_, shmem_n_pes)
NUMBER(my_pe_, shmem_my_pe)
NUMBER(num_pes_, shmem_n_pes)
NUMBER(_my_pe_, shmem_my_pe)
NUMBER(_num_pes_, shmem_n_pes)

SHOWN void start_pes_(const int *npes);
void start_pes_(const int *npes) { (void)npes; shmem_init(); }
SHOWN void shmem_global_exit_(const int *status);
void shmem_global_exit_(const int *status) { shmem_global_exit(*status); }
SHOWN int shmem_pe_accessible_(const int *pe);
int shmem_pe_accessible_(const int *pe) { return shmem_pe_accessible(*pe); }
SHOWN int shmem_addr_accessible_(const void *address, const int *pe);
int shmem_addr_accessible_(const void *address, const int *pe) { return shmem_addr_accessible(address, *pe); }
SHOWN void *shmem_ptr_(const void *target, const int *pe);
void *shmem_ptr_(const void *target, const int *pe) { return shmem_ptr(target, *pe); }
SHOWN void shmem_info_get_version_(int *major, int *minor);
void shmem_info_get_version_(int *major, int *minor) { shmem_info_get_version(major, minor); }
/* Fortran passes the length of the name after the arguments, and has no final zero: the rest is blank. */
SHOWN void shmem_info_get_name_(char *name, size_t length);
void shmem_info_get_name_(char *name, size_t length) {
  char own[SHMEM_MAX_NAME_LEN];
  shmem_info_get_name(own);
  const size_t used = strlen(own) < length ? strlen(own) : length;
  memcpy(name, own, used);
  memset(name + used, ' ', length - used);
}
SHOWN void shmem_set_cache_line_inv_(void *target);
void shmem_set_cache_line_inv_(void *target) { shmem_set_cache_line_inv(target); }
SHOWN void shmem_udcflush_line_(void *target);
void shmem_udcflush_line_(void *target) { shmem_udcflush_line(target); }

/* ---------------------------------------------------------------- symmetric memory: lengths are in words of 32 bits */

enum { kBadLength = -1, kNoMemory = -2 };

static void report(int *errcode, int code, const int *abort_code) {
  *errcode = code;
  if (code != 0 && *abort_code != 0) shmem_global_exit(1);
}
SHOWN void shpalloc_(void **address, const int *length, int *errcode, const int *abort_code);
void shpalloc_(void **address, const int *length, int *errcode, const int *abort_code) {
  if (*length <= 0) { report(errcode, kBadLength, abort_code); return; }
  *address = shmem_malloc((size_t)*length * 4);
  report(errcode, *address ? 0 : kNoMemory, abort_code);
}
SHOWN void shpdeallc_(void **address, int *errcode, const int *abort_code);
void shpdeallc_(void **address, int *errcode, const int *abort_code) { shmem_free(*address); report(errcode, 0, abort_code); }
SHOWN void shpclmove_(void **address, const int *length, int *status, const int *abort_code);
void shpclmove_(void **address, const int *length, int *status, const int *abort_code) {
  if (*length <= 0) { report(status, kBadLength, abort_code); return; }
  void *moved = shmem_realloc(*address, (size_t)*length * 4);
  if (!moved) { report(status, kNoMemory, abort_code); return; }
  *status = moved != *address;
  *address = moved;
}

/* ---------------------------------------------------------------- put and get */

#define MOVE(name, call) \
  SHOWN void name(void *target, const void *source, const int *len, const int *pe); \
  void name(void *target, const void *source, const int *len, const int *pe) { call(target, source, (size_t)*len, *pe); }
MOVE(shmem_putmem_, shmem_putmem)
MOVE(shmem_character_put_, shmem_putmem)
MOVE(shmem_put_, shmem_put64)
MOVE(shmem_put4_, shmem_put32)
MOVE(shmem_put8_, shmem_put64)
MOVE(shmem_put32_, shmem_put32)
MOVE(shmem_put64_, shmem_put64)
MOVE(shmem_put128_, shmem_put128)
MOVE(shmem_integer_put_, shmem_put32)
MOVE(shmem_logical_put_, shmem_put32)
MOVE(shmem_real_put_, shmem_put32)
MOVE(shmem_double_put_, shmem_put64)
MOVE(shmem_complex_put_, shmem_put64)
MOVE(shmem_getmem_, shmem_getmem)
MOVE(shmem_character_get_, shmem_getmem)
MOVE(shmem_get4_, shmem_get32)
MOVE(shmem_get8_, shmem_get64)
MOVE(shmem_get32_, shmem_get32)
MOVE(shmem_get64_, shmem_get64)
MOVE(shmem_get128_, shmem_get128)
MOVE(shmem_integer_get_, shmem_get32)
MOVE(shmem_logical_get_, shmem_get32)
MOVE(shmem_real_get_, shmem_get32)
MOVE(shmem_double_get_, shmem_get64)
MOVE(shmem_complex_get_, shmem_get64)
MOVE(shmem_putmem_nbi_, shmem_putmem_nbi)
MOVE(shmem_character_put_nbi_, shmem_putmem_nbi)
MOVE(shmem_put4_nbi_, shmem_put32_nbi)
MOVE(shmem_put8_nbi_, shmem_put64_nbi)
MOVE(shmem_put32_nbi_, shmem_put32_nbi)
MOVE(shmem_put64_nbi_, shmem_put64_nbi)
MOVE(shmem_put128_nbi_, shmem_put128_nbi)
MOVE(shmem_integer_put_nbi_, shmem_put32_nbi)
MOVE(shmem_logical_put_nbi_, shmem_put32_nbi)
MOVE(shmem_real_put_nbi_, shmem_put32_nbi)
MOVE(shmem_double_put_nbi_, shmem_put64_nbi)
MOVE(shmem_complex_put_nbi_, shmem_put64_nbi)
MOVE(shmem_getmem_nbi_, shmem_getmem_nbi)
MOVE(shmem_character_get_nbi_, shmem_getmem_nbi)
MOVE(shmem_get4_nbi_, shmem_get32_nbi)
MOVE(shmem_get8_nbi_, shmem_get64_nbi)
MOVE(shmem_get32_nbi_, shmem_get32_nbi)
MOVE(shmem_get64_nbi_, shmem_get64_nbi)
MOVE(shmem_get128_nbi_, shmem_get128_nbi)
MOVE(shmem_integer_get_nbi_, shmem_get32_nbi)
MOVE(shmem_logical_get_nbi_, shmem_get32_nbi)
MOVE(shmem_real_get_nbi_, shmem_get32_nbi)
MOVE(shmem_double_get_nbi_, shmem_get64_nbi)
MOVE(shmem_complex_get_nbi_, shmem_get64_nbi)

#define STRIDED(name, call) \
  SHOWN void name(void *target, const void *source, const int *tst, const int *sst, const int *len, const int *pe); \
  void name(void *target, const void *source, const int *tst, const int *sst, const int *len, const int *pe) { \
    call(target, source, *tst, *sst, (size_t)*len, *pe); \
  }
STRIDED(shmem_iput4_, shmem_iput32)
STRIDED(shmem_iput8_, shmem_iput64)
STRIDED(shmem_iput32_, shmem_iput32)
STRIDED(shmem_iput64_, shmem_iput64)
STRIDED(shmem_iput128_, shmem_iput128)
STRIDED(shmem_integer_iput_, shmem_iput32)
STRIDED(shmem_logical_iput_, shmem_iput32)
STRIDED(shmem_real_iput_, shmem_iput32)
STRIDED(shmem_double_iput_, shmem_iput64)
STRIDED(shmem_complex_iput_, shmem_iput64)
STRIDED(shmem_iget4_, shmem_iget32)
STRIDED(shmem_iget8_, shmem_iget64)
STRIDED(shmem_iget32_, shmem_iget32)
STRIDED(shmem_iget64_, shmem_iget64)
STRIDED(shmem_iget128_, shmem_iget128)
STRIDED(shmem_integer_iget_, shmem_iget32)
STRIDED(shmem_logical_iget_, shmem_iget32)
STRIDED(shmem_real_iget_, shmem_iget32)
STRIDED(shmem_double_iget_, shmem_iget64)
STRIDED(shmem_complex_iget_, shmem_iget64)

/* ---------------------------------------------------------------- atomics */

#define SWAP(name, type, call) \
  SHOWN type name(type *target, const type *value, const int *pe); \
  type name(type *target, const type *value, const int *pe) { return call(target, *value, *pe); }
#define CHANGE(name, type, call) \
  SHOWN void name(type *target, const type *value, const int *pe); \
  void name(type *target, const type *value, const int *pe) { call(target, *value, *pe); }
#define COMPARE(name, type, call) \
  SHOWN type name(type *target, const type *cond, const type *value, const int *pe); \
  type name(type *target, const type *cond, const type *value, const int *pe) { return call(target, *cond, *value, *pe); }
#define READ(name, type, call) \
  SHOWN type name(type *target, const int *pe); \
  type name(type *target, const int *pe) { return call(target, *pe); }
#define INCREASE(name, type, call) \
  SHOWN void name(type *target, const int *pe); \
  void name(type *target, const int *pe) { call(target, *pe); }
SWAP(shmem_swap_, int, shmem_int_atomic_swap)
SWAP(shmem_int4_swap_, int, shmem_int_atomic_swap)
SWAP(shmem_int8_swap_, long, shmem_long_atomic_swap)
SWAP(shmem_real4_swap_, float, shmem_float_atomic_swap)
SWAP(shmem_real8_swap_, double, shmem_double_atomic_swap)
COMPARE(shmem_int4_cswap_, int, shmem_int_atomic_compare_swap)
COMPARE(shmem_int8_cswap_, long, shmem_long_atomic_compare_swap)
SWAP(shmem_int4_fadd_, int, shmem_int_atomic_fetch_add)
SWAP(shmem_int8_fadd_, long, shmem_long_atomic_fetch_add)
CHANGE(shmem_int4_add_, int, shmem_int_atomic_add)
CHANGE(shmem_int8_add_, long, shmem_long_atomic_add)
READ(shmem_int4_finc_, int, shmem_int_atomic_fetch_inc)
READ(shmem_int8_finc_, long, shmem_long_atomic_fetch_inc)
INCREASE(shmem_int4_inc_, int, shmem_int_atomic_inc)
INCREASE(shmem_int8_inc_, long, shmem_long_atomic_inc)
READ(shmem_int4_fetch_, int, shmem_int_atomic_fetch)
READ(shmem_int8_fetch_, long, shmem_long_atomic_fetch)
READ(shmem_real4_fetch_, float, shmem_float_atomic_fetch)
READ(shmem_real8_fetch_, double, shmem_double_atomic_fetch)
CHANGE(shmem_int4_set_, int, shmem_int_atomic_set)
CHANGE(shmem_int8_set_, long, shmem_long_atomic_set)
CHANGE(shmem_real4_set_, float, shmem_float_atomic_set)
CHANGE(shmem_real8_set_, double, shmem_double_atomic_set)

/* ---------------------------------------------------------------- waits and locks */

#define WAIT(name, type, call) \
  SHOWN void name(type *ivar, const type *value); \
  void name(type *ivar, const type *value) { call(ivar, SHMEM_CMP_NE, *value); }
#define WAIT_UNTIL(name, type, call) \
  SHOWN void name(type *ivar, const int *cmp, const type *value); \
  void name(type *ivar, const int *cmp, const type *value) { call(ivar, *cmp, *value); }
WAIT(shmem_wait_, int, shmem_int_wait_until)
WAIT(shmem_int4_wait_, int, shmem_int_wait_until)
WAIT(shmem_int8_wait_, long, shmem_long_wait_until)
WAIT_UNTIL(shmem_wait_until_, int, shmem_int_wait_until)
WAIT_UNTIL(shmem_int4_wait_until_, int, shmem_int_wait_until)
WAIT_UNTIL(shmem_int8_wait_until_, long, shmem_long_wait_until)

/* A lock of Fortran has 32 bits, too few for the queue of C's: 0 or 1 on PE 0. */
SHOWN int shmem_test_lock_(int *lock);
int shmem_test_lock_(int *lock) { return shmem_int_atomic_compare_swap(lock, 0, 1, 0) != 0; }
SHOWN void shmem_set_lock_(int *lock);
void shmem_set_lock_(int *lock) {
  while (shmem_test_lock_(lock)) {
    /* On the node a wait, which ends when the PE that has the lock has ended. */
    int *there = shmem_ptr(lock, 0);
    if (there) shmem_int_wait_until(there, SHMEM_CMP_EQ, 0);
    else sched_yield();
  }
}
SHOWN void shmem_clear_lock_(int *lock);
void shmem_clear_lock_(int *lock) {
  shmem_quiet();
  shmem_int_atomic_swap(lock, 0, 0);
}

/* ---------------------------------------------------------------- collective calls of active sets */

#define SET const int *PE_start, const int *logPE_stride, const int *PE_size
#define PASSED *PE_start, *logPE_stride, *PE_size
#define BARRIER(name, call) \
  SHOWN void name(SET, long *pSync); \
  void name(SET, long *pSync) { call(PASSED, pSync); }
BARRIER(shmem_barrier_, shmem_barrier)
BARRIER(shmem_sync_, pshmem_sync)

#define BROADCAST(name, call) \
  SHOWN void name(void *target, const void *source, const int *nelems, const int *PE_root, SET, long *pSync); \
  void name(void *target, const void *source, const int *nelems, const int *PE_root, SET, long *pSync) { \
    call(target, source, (size_t)*nelems, *PE_root, PASSED, pSync); \
  }
#define COLLECT(name, call) \
  SHOWN void name(void *target, const void *source, const int *nelems, SET, long *pSync); \
  void name(void *target, const void *source, const int *nelems, SET, long *pSync) { \
    call(target, source, (size_t)*nelems, PASSED, pSync); \
  }
#define ALLTOALLS(name, call) \
  SHOWN void name(void *target, const void *source, const int *dst, const int *sst, const int *nelems, SET, long *pSync); \
  void name(void *target, const void *source, const int *dst, const int *sst, const int *nelems, SET, long *pSync) { \
    call(target, source, *dst, *sst, (size_t)*nelems, PASSED, pSync); \
  }
BROADCAST(shmem_broadcast4_, shmem_broadcast32)
BROADCAST(shmem_broadcast8_, shmem_broadcast64)
BROADCAST(shmem_broadcast32_, shmem_broadcast32)
BROADCAST(shmem_broadcast64_, shmem_broadcast64)
COLLECT(shmem_collect4_, shmem_collect32)
COLLECT(shmem_collect8_, shmem_collect64)
COLLECT(shmem_collect32_, shmem_collect32)
COLLECT(shmem_collect64_, shmem_collect64)
COLLECT(shmem_fcollect4_, shmem_fcollect32)
COLLECT(shmem_fcollect8_, shmem_fcollect64)
COLLECT(shmem_fcollect32_, shmem_fcollect32)
COLLECT(shmem_fcollect64_, shmem_fcollect64)
COLLECT(shmem_alltoall32_, shmem_alltoall32)
COLLECT(shmem_alltoall64_, shmem_alltoall64)
ALLTOALLS(shmem_alltoalls32_, shmem_alltoalls32)
ALLTOALLS(shmem_alltoalls64_, shmem_alltoalls64)

#define REDUCE(name, type, call) \
  SHOWN void name(type *target, const type *source, const int *nreduce, SET, type *pWrk, long *pSync); \
  void name(type *target, const type *source, const int *nreduce, SET, type *pWrk, long *pSync) { \
    call(target, source, *nreduce, PASSED, pWrk, pSync); \
  }
REDUCE(shmem_int2_and_to_all_, short, shmem_short_and_to_all)
REDUCE(shmem_int4_and_to_all_, int, shmem_int_and_to_all)
REDUCE(shmem_int8_and_to_all_, long, shmem_long_and_to_all)
REDUCE(shmem_int2_or_to_all_, short, shmem_short_or_to_all)
REDUCE(shmem_int4_or_to_all_, int, shmem_int_or_to_all)
REDUCE(shmem_int8_or_to_all_, long, shmem_long_or_to_all)
REDUCE(shmem_int2_xor_to_all_, short, shmem_short_xor_to_all)
REDUCE(shmem_int4_xor_to_all_, int, shmem_int_xor_to_all)
REDUCE(shmem_int8_xor_to_all_, long, shmem_long_xor_to_all)
REDUCE(shmem_int2_max_to_all_, short, shmem_short_max_to_all)
REDUCE(shmem_int4_max_to_all_, int, shmem_int_max_to_all)
REDUCE(shmem_int8_max_to_all_, long, shmem_long_max_to_all)
REDUCE(shmem_real4_max_to_all_, float, shmem_float_max_to_all)
REDUCE(shmem_real8_max_to_all_, double, shmem_double_max_to_all)
REDUCE(shmem_int2_min_to_all_, short, shmem_short_min_to_all)
REDUCE(shmem_int4_min_to_all_, int, shmem_int_min_to_all)
REDUCE(shmem_int8_min_to_all_, long, shmem_long_min_to_all)
REDUCE(shmem_real4_min_to_all_, float, shmem_float_min_to_all)
REDUCE(shmem_real8_min_to_all_, double, shmem_double_min_to_all)
REDUCE(shmem_int2_sum_to_all_, short, shmem_short_sum_to_all)
REDUCE(shmem_int4_sum_to_all_, int, shmem_int_sum_to_all)
REDUCE(shmem_int8_sum_to_all_, long, shmem_long_sum_to_all)
REDUCE(shmem_real4_sum_to_all_, float, shmem_float_sum_to_all)
REDUCE(shmem_real8_sum_to_all_, double, shmem_double_sum_to_all)
REDUCE(shmem_comp4_sum_to_all_, float _Complex, shmem_complexf_sum_to_all)
REDUCE(shmem_comp8_sum_to_all_, double _Complex, shmem_complexd_sum_to_all)
REDUCE(shmem_int2_prod_to_all_, short, shmem_short_prod_to_all)
REDUCE(shmem_int4_prod_to_all_, int, shmem_int_prod_to_all)
REDUCE(shmem_int8_prod_to_all_, long, shmem_long_prod_to_all)
REDUCE(shmem_real4_prod_to_all_, float, shmem_float_prod_to_all)
REDUCE(shmem_real8_prod_to_all_, double, shmem_double_prod_to_all)
REDUCE(shmem_comp4_prod_to_all_, float _Complex, shmem_complexf_prod_to_all)
REDUCE(shmem_comp8_prod_to_all_, double _Complex, shmem_complexd_prod_to_all)

/* Of REAL*16 the C interface has nothing. Each PE combines the elements of all, in the order of the PEs. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 real16;
#else
typedef long double real16;
#endif
typedef real16 combination(real16 a, real16 b);
static real16 greatest(real16 a, real16 b) { return a < b ? b : a; }
static real16 least(real16 a, real16 b) { return b < a ? b : a; }
static real16 sum(real16 a, real16 b) { return a + b; }
static real16 product(real16 a, real16 b) { return a * b; }

static void reduce_real16(real16 *target, const real16 *source, const int *nreduce, SET, long *pSync, combination *combine) {
  if (*nreduce < 0) {
    fprintf(stderr, "halocline: a reduction of REAL*16 on PE %d: nreduce is %d but must be 0 or more\n", shmem_my_pe(), *nreduce);
    shmem_global_exit(1);
  }
  const size_t count = (size_t)*nreduce;
  real16 *all = malloc(2 * (count + 1) * sizeof *all), *theirs = all ? all + count + 1 : NULL;
  if (!all) {
    fprintf(stderr, "halocline: a reduction of REAL*16 on PE %d: no memory for %d elements\n", shmem_my_pe(), *nreduce);
    shmem_global_exit(1);
  }
  pshmem_sync(PASSED, pSync);
  for (int member = 0; member < *PE_size; ++member) {
    const int pe = *PE_start + member * (1 << *logPE_stride);
    shmem_getmem(member == 0 ? all : theirs, source, count * sizeof *all, pe);
    for (size_t i = 0; member > 0 && i < count; ++i) all[i] = combine(all[i], theirs[i]);
  }
  pshmem_sync(PASSED, pSync);
  memcpy(target, all, count * sizeof *all);
  free(all);
}
#define REDUCE_REAL16(name, combine) \
  SHOWN void name(real16 *target, const real16 *source, const int *nreduce, SET, real16 *pWrk, long *pSync); \
  void name(real16 *target, const real16 *source, const int *nreduce, SET, real16 *pWrk, long *pSync) { \
    (void)pWrk; \
    reduce_real16(target, source, nreduce, PE_start, logPE_stride, PE_size, pSync, combine); \
  }
REDUCE_REAL16(shmem_real16_max_to_all_, greatest)
REDUCE_REAL16(shmem_real16_min_to_all_, least)
REDUCE_REAL16(shmem_real16_sum_to_all_, sum)
REDUCE_REAL16(shmem_real16_prod_to_all_, product)
