/*
 * The C and C++ interface of OpenSHMEM 1.5 on Halocline's engine (libhalocline_shmem).
 *
 * Here stand constants, types, and the functions that exist once. The functions that exist for each type or size, under names such as
 * shmem_int_put and shmem_ctx_put64_nbi, are written out in halocline/shmem/: rma.h, signal.h, atomics.h, wait.h, collectives.h,
 * reductions.h and deprecated.h. The generic forms, such as shmem_put, are halocline/shmem/generic.h for C11 and
 * halocline/shmem/overloads.hpp for C++. pshmem.h has the profiling interface.
 *
 * Rules that hold for every function here, unless it says otherwise:
 *  - Addresses. dest and source of another PE are symmetric: from shmem_malloc and its relatives, or global or static variables. Which
 *    argument has to be symmetric is as in the standard.
 *  - Errors. A wrong argument ends all PEs, after one message that names the function, the argument and its value.
 *  - Completion. A put has returned when its source may be reused, a get when dest has the data. Puts have arrived after shmem_quiet, or
 *    shmem_ctx_quiet of their context, and for all PEs after shmem_barrier_all.
 *  - Progress. Between nodes a PE serves others inside calls of this interface, and otherwise a thread of its process does.
 *  - Threads. As shmem_init_thread has provided. Collective calls of one team are for one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <complex>
#define SHMEM_COMPLEXF std::complex<float>
#define SHMEM_COMPLEXD std::complex<double>
#else
#define SHMEM_COMPLEXF float _Complex
#define SHMEM_COMPLEXD double _Complex
#endif

#if defined(__GNUC__)
#define SHMEM_API __attribute__((visibility("default")))
#define SHMEM_NORETURN __attribute__((noreturn))
#define SHMEM_STATIC_INLINE static __inline__
#else
#define SHMEM_API
#define SHMEM_NORETURN
#define SHMEM_STATIC_INLINE static inline
#endif

/* C90 has neither long long nor complex numbers, which the standard asks for. */
#if defined(__GNUC__) && !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#define SHMEM_C90
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wlong-long"
#pragma GCC diagnostic ignored "-Wvariadic-macros"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wc99-extensions"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- constants */

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5
#define SHMEM_MAX_NAME_LEN 64 /**< with the final zero */
#define SHMEM_VENDOR_STRING "Halocline"

#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_GE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_LE 6

#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE 2L
#define SHMEM_CTX_NOSTORE 4L

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_TEAM_NUM_CONTEXTS 1L

/* Collectives of active sets use neither pSync nor pWrk; programs allocate them nevertheless. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 1
#define SHMEM_BARRIER_SYNC_SIZE 1
#define SHMEM_BCAST_SYNC_SIZE 1
#define SHMEM_COLLECT_SYNC_SIZE 1
#define SHMEM_REDUCE_SYNC_SIZE 1
#define SHMEM_ALLTOALL_SYNC_SIZE 1
#define SHMEM_ALLTOALLS_SYNC_SIZE 1
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* ---------------------------------------------------------------- handles */

typedef struct shmem_ctx_s *shmem_ctx_t;   /**< a context */
typedef struct shmem_team_s *shmem_team_t; /**< a team */

#ifdef __cplusplus
#define SHMEM_NO_HANDLE(kind) static_cast<kind>(nullptr)
#define SHMEM_HANDLE(kind, number) reinterpret_cast<kind>(static_cast<intptr_t>(number))
#else
#define SHMEM_NO_HANDLE(kind) ((kind)0)
#define SHMEM_HANDLE(kind, number) ((kind)(intptr_t)(number))
#endif
#define SHMEM_CTX_INVALID SHMEM_NO_HANDLE(shmem_ctx_t)
#define SHMEM_CTX_DEFAULT SHMEM_HANDLE(shmem_ctx_t, 1)
#define SHMEM_TEAM_INVALID SHMEM_NO_HANDLE(shmem_team_t)
#define SHMEM_TEAM_WORLD SHMEM_HANDLE(shmem_team_t, 1)  /**< all PEs */
#define SHMEM_TEAM_SHARED SHMEM_HANDLE(shmem_team_t, 2) /**< those for which shmem_ptr has an address */

typedef struct {
  int num_contexts; /**< how many contexts the program wants to create of the team at a time */
} shmem_team_config_t; /**< what a team is to have */

/* ---------------------------------------------------------------- setup and exit */

/** Begins. Collective over all processes that were started together. MPI is initialised unless it is. */
SHMEM_API void shmem_init(void);
/** The same with a thread level: returns 0, and in *provided a level that is at least what was requested, if MPI has it. */
SHMEM_API int shmem_init_thread(int requested, int *provided);
/** The thread level that was provided. */
SHMEM_API void shmem_query_thread(int *provided);
/** Completes all communication, and ends what shmem_init has begun. Collective. */
SHMEM_API void shmem_finalize(void);
/** Ends all PEs with this status. Any one may call it. */
SHMEM_API SHMEM_NORETURN void shmem_global_exit(int status);
/** The number of this PE. */
SHMEM_API int shmem_my_pe(void);
/** The number of PEs. */
SHMEM_API int shmem_n_pes(void);
/** 1 if there is such a PE, else 0. */
SHMEM_API int shmem_pe_accessible(int pe);
/** 1 if addr is symmetric and this PE can access it on pe, else 0. */
SHMEM_API int shmem_addr_accessible(const void *addr, int pe);
/** Where dest of a PE is in the memory of this one; null if it can be reached by calls only. */
SHMEM_API void *shmem_ptr(const void *dest, int pe);
/** The version of OpenSHMEM. */
SHMEM_API void shmem_info_get_version(int *major, int *minor);
/** Does nothing, at any level. A profiling library may define it. */
SHMEM_API void shmem_pcontrol(int level, ...);
/** Writes SHMEM_VENDOR_STRING into SHMEM_MAX_NAME_LEN bytes. */
SHMEM_API void shmem_info_get_name(char *name);

/* ---------------------------------------------------------------- symmetric memory */

/** Allocates size bytes of symmetric memory. Collective, as are all of this section. Null if there is no room, or size is 0. */
SHMEM_API void *shmem_malloc(size_t size);
/** The same, with what the program will do with it: SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE. */
SHMEM_API void *shmem_malloc_with_hints(size_t size, long hints);
/** count elements of size bytes, all zero. */
SHMEM_API void *shmem_calloc(size_t count, size_t size);
/** The same as shmem_malloc, at a multiple of alignment. */
SHMEM_API void *shmem_align(size_t alignment, size_t size);
/** Changes the size of ptr, which may move. */
SHMEM_API void *shmem_realloc(void *ptr, size_t size);
/** Frees ptr; null is allowed. */
SHMEM_API void shmem_free(void *ptr);

/* ---------------------------------------------------------------- teams */

/** The number of this PE in a team; -1 if it is none of its PEs. */
SHMEM_API int shmem_team_my_pe(shmem_team_t team);
/** How many PEs a team has; -1 for SHMEM_TEAM_INVALID. */
SHMEM_API int shmem_team_n_pes(shmem_team_t team);
/** Writes what of a team's configuration config_mask selects. 0 if it could. */
SHMEM_API int shmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config);
/** The number in dest_team of a PE of src_team; -1 if it has none. */
SHMEM_API int shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team);
/** Makes a team of size PEs of parent_team: start, start + stride, and so on. Collective over parent_team. 0 if it could; else new_team is
 * SHMEM_TEAM_INVALID on all of them, as it is on PEs that are not of the new team. */
SHMEM_API int shmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t *config,
                                       long config_mask, shmem_team_t *new_team);
/** Makes teams of the rows, of xrange PEs, and of the columns of parent_team. Collective over it. 0 if it could. */
SHMEM_API int shmem_team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, long xaxis_mask,
                                  shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, long yaxis_mask,
                                  shmem_team_t *yaxis_team);
/** Where dest of a PE of a team is in the memory of this PE; null if there is none. Of OpenSHMEM 1.6. */
SHMEM_API void *shmem_team_ptr(shmem_team_t team, const void *dest, int pe);
/** Ends a team. Collective over it. */
SHMEM_API void shmem_team_destroy(shmem_team_t team);

/* ---------------------------------------------------------------- contexts */

/** Makes a context: options are SHMEM_CTX_SERIALIZED, _PRIVATE and _NOSTORE. 0 if it could; else *ctx is SHMEM_CTX_INVALID. */
SHMEM_API int shmem_ctx_create(long options, shmem_ctx_t *ctx);
/** The same, of a team: pe means its numbers. */
SHMEM_API int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx);
/** Completes what was begun in a context, and ends it. */
SHMEM_API void shmem_ctx_destroy(shmem_ctx_t ctx);
/** The team of a context. 0 if there is one. */
SHMEM_API int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team);

/* ---------------------------------------------------------------- memory ordering */

/** What was put to a PE before this arrives there before what is put later. */
SHMEM_API void shmem_fence(void);
/** The same for one context. */
SHMEM_API void shmem_ctx_fence(shmem_ctx_t ctx);
/** Returns when all that this PE has begun in the default context is complete. */
SHMEM_API void shmem_quiet(void);
/** The same for one context. */
SHMEM_API void shmem_ctx_quiet(shmem_ctx_t ctx);

/* ---------------------------------------------------------------- signals */

/** Reads a signal of this PE. */
SHMEM_API uint64_t shmem_signal_fetch(const uint64_t *sig_addr);
/** Returns when *sig_addr cmp cmp_value is true: the value for which it was. */
SHMEM_API uint64_t shmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value);

/* ---------------------------------------------------------------- barriers */

/** Returns when all PEs have entered it, and all that they have put before is complete. */
SHMEM_API void shmem_barrier_all(void);
/** Returns when all PEs have entered it. */
SHMEM_API void shmem_sync_all(void);
/** Returns when all PEs of a team have entered it: 0. */
SHMEM_API int shmem_team_sync(shmem_team_t team);
/** shmem_barrier_all for an active set. Deprecated. */
SHMEM_API void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync);
/** shmem_sync_all for an active set. Deprecated. */
SHMEM_API void shmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync);

/* ---------------------------------------------------------------- locks */

/** Waits until this PE has a lock. A lock is a symmetric variable, 0 at first. PEs get it in the order in which they ask. */
SHMEM_API void shmem_set_lock(long *lock);
/** Releases a lock, after completing what this PE has begun. */
SHMEM_API void shmem_clear_lock(long *lock);
/** Takes a lock if it is free: 0; else 1. */
SHMEM_API int shmem_test_lock(long *lock);

/* ---------------------------------------------------------------- caches: deprecated, they do nothing */

/** Does nothing. */
SHMEM_API void shmem_set_cache_inv(void);
/** Does nothing. */
SHMEM_API void shmem_clear_cache_inv(void);
/** Does nothing. */
SHMEM_API void shmem_set_cache_line_inv(void *dest);
/** Does nothing. */
SHMEM_API void shmem_clear_cache_line_inv(void *dest);
/** Does nothing. */
SHMEM_API void shmem_udcflush(void);
/** Does nothing. */
SHMEM_API void shmem_udcflush_line(void *dest);

/* In C before C11 these two stand for long alone. SHMEM_NO_OVERLOADS leaves the generic forms of C11 and C++ out. */
#if defined(SHMEM_NO_OVERLOADS) || (!defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L))
#define SHMEM_HAS_UNTYPED_WAITS 1
/** As shmem_long_wait. Deprecated. */
SHMEM_API void shmem_wait(volatile long *ivar, long cmp_value);
/** As shmem_long_wait_until. Deprecated. */
SHMEM_API void shmem_wait_until(volatile long *ivar, int cmp, long cmp_value);
#else
#define SHMEM_HAS_UNTYPED_WAITS 0
#endif

#ifdef __cplusplus
}
#endif

#include <halocline/shmem/atomics.h>
#include <halocline/shmem/collectives.h>
#include <halocline/shmem/deprecated.h>
#include <halocline/shmem/names.h>
#include <halocline/shmem/near.h>
#include <halocline/shmem/reductions.h>
#include <halocline/shmem/rma.h>
#include <halocline/shmem/signal.h>
#include <halocline/shmem/wait.h>
/* Inline forms of short operations, where the compiler optimises: SHMEM_NO_INLINE leaves them out. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) && !defined(SHMEM_NO_INLINE)
#include <halocline/shmem/inline.h>
#endif
#ifdef SHMEM_NO_OVERLOADS
#elif defined(__cplusplus)
#include <halocline/shmem/overloads.hpp>
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include <halocline/shmem/generic.h>
#endif

#ifdef SHMEM_C90
#undef SHMEM_C90
#pragma GCC diagnostic pop
#endif

#endif /* SHMEM_H */
