/*
 * What the inline functions of inline.h read: where the symmetric heaps of this node are in this process, and what a context has begun.
 * The library writes it in shmem_init and shmem_finalize. Programs include shmem.h.
 *
 * These types are a part of the binary interface (abi/README.md): code of a program reads them. Another layout gets another name, such as
 * shmem_near_2. Then shmem_near_1 stays as it is before shmem_init, and the inline functions of older programs call the library.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_SHMEM_NEAR_H
#define HALOCLINE_SHMEM_NEAR_H

#ifdef __cplusplus
extern "C" {
#endif

/** What programs may know of a context. */
struct shmem_ctx_s {
  unsigned char far_used; /**< not 0: since its last quiet it has begun an operation that quiet has to wait for */
  unsigned char of_world; /**< not 0: its numbers of PEs are those of the world */
};

/** An object of this PE at `begin + offset` is one of PE p at `parts + (p - first) * stride + offset`. */
typedef struct {
  uintptr_t begin;   /**< the first address of this PE's heap, and of what the library needs before it */
  size_t bytes;      /**< from there to the end of the heap, on all PEs; 0 where the inline functions have to call the library */
  char *parts;       /**< where PE `first` has `begin` */
  size_t stride;     /**< from there to the same place of the next PE */
  unsigned first;    /**< the first PE of this node */
  unsigned members;  /**< how many PEs of this node follow each other; 0 where `bytes` is 0 */
  unsigned has_others; /**< not 0: there are other nodes, whose PEs are served when this one reads */
  const struct shmem_ctx_s *default_ctx; /**< SHMEM_CTX_DEFAULT; never null */
} shmem_near_1_t;

/** Of this process. Programs do not change it. */
SHMEM_API extern shmem_near_1_t shmem_near_1;

#ifdef __cplusplus
}
#endif
#endif /* HALOCLINE_SHMEM_NEAR_H */
