/*
 * Names from before OpenSHMEM 1.2, which 1.5 still has as deprecated: constants that begin with an underscore, and functions of SGI and Cray.
 * Programs include shmem.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_SHMEM_NAMES_H
#define HALOCLINE_SHMEM_NAMES_H

#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE

/** As shmem_init; npes has no meaning. Deprecated. */
SHMEM_STATIC_INLINE void start_pes(int npes) {
#ifdef __cplusplus
  static_cast<void>(npes);
#else
  (void)npes;
#endif
  shmem_init();
}
/** As shmem_my_pe. Deprecated. */
SHMEM_STATIC_INLINE int _my_pe(void) { return shmem_my_pe(); }
/** As shmem_n_pes. Deprecated. */
SHMEM_STATIC_INLINE int _num_pes(void) { return shmem_n_pes(); }
/** As shmem_malloc. Deprecated. */
SHMEM_STATIC_INLINE void *shmalloc(size_t size) { return shmem_malloc(size); }
/** As shmem_free. Deprecated. */
SHMEM_STATIC_INLINE void shfree(void *ptr) { shmem_free(ptr); }
/** As shmem_realloc. Deprecated. */
SHMEM_STATIC_INLINE void *shrealloc(void *ptr, size_t size) { return shmem_realloc(ptr, size); }
/** As shmem_align. Deprecated. */
SHMEM_STATIC_INLINE void *shmemalign(size_t alignment, size_t size) { return shmem_align(alignment, size); }

#endif /* HALOCLINE_SHMEM_NAMES_H */
