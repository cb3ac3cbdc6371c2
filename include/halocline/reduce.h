/*
 * Reductions over all ranks of a context: every rank gives an array, all get the arrays combined element by element. Part of the C API;
 * halocline.h includes it.
 *
 * On a node ranks combine and exchange data through shared memory, piece by piece; each rank combines its share of every piece. Between
 * nodes the data go round a ring in as many parts as there are nodes. Each part is cut into chunks, which the ranks of a node share. So
 * every rank drives some chunks, and many are outstanding at any time. The ring is for long arrays: its steps grow with the number of
 * nodes. Few elements of N nodes reach all others in log2(N) steps, rounded up. Source: Simmendinger et al., section 5.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_REDUCE_H
#define HALOCLINE_REDUCE_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A planned reduction: hlc_allreduce_create. */
typedef struct hlc_allreduce hlc_allreduce;

/** How two elements become one. Integers wrap around. A comparison with a NaN is false, so which of the two stays depends on the order. */
typedef enum hlc_reduction HLC_INT {
  HLC_REDUCE_SUM = 0, /**< a + b; every type but HLC_OPAQUE */
  HLC_REDUCE_MIN,     /**< b < a ? b : a; real types */
  HLC_REDUCE_MAX,     /**< a < b ? b : a; real types */
  HLC_REDUCE_USER     /**< the spec's function */
} hlc_reduction;

/**
 * Combines count elements: inout[i] becomes inout[i] o in[i]. inout holds ranks that precede those of in in the order. The two do not
 * overlap; both are aligned as the type needs. Called inside hlc_allreduce_run by the calling thread, for each element at most once per
 * rank of the context. It must be associative, and commutative too where the context has several nodes.
 */
typedef void (*hlc_reduce_fn)(const void *in, void *inout, int64_t count, void *user);

/**
 * What hlc_allreduce_create needs. It is the same on all ranks except for user and the address of function, which must do the same
 * everywhere. Zero-initialise it.
 */
typedef struct hlc_allreduce_spec {
  int64_t count; /**< elements of each rank, 0 or more */
  hlc_type type; /**< of an element */
  size_t element_bytes; /**< needed for HLC_OPAQUE; else 0 or the type's own size */
  hlc_reduction reduction; /**< how two elements become one */
  hlc_reduce_fn function; /**< of HLC_REDUCE_USER; else NULL */
  void *user; /**< handed to function */
  const char *name; /**< for messages, the same on all ranks: it identifies plans made in different orders; may be NULL */
} hlc_allreduce_spec;

/**
 * Plans reductions. It lays out the memory that the ranks of the node share, and connects each rank with its counterparts on both
 * neighbouring nodes.
 *
 * It chooses how the elements are combined: at once by every rank, or in chunks. The machine card (halocline/model.h) predicts both where
 * `halocline-bench model` has measured this number of ranks and bytes on this machine. The longest predictions of all ranks count. Else
 * few elements are combined at once. These are 16 KiB of all ranks on one node, or of each rank where ranks share cores. Between nodes they
 * are up to 64 KiB of each node. The environment variable HALOCLINE_ALLREDUCE, "at_once" or "chunks", chooses for all plans; it must be the same on all ranks. More than 8 MiB of all ranks together are always combined in chunks. The result
 * has the same bits in both.
 *
 * Collective over the context; returns when the plan can be run. Errors, the same on all ranks: HLC_ERR_ARGUMENT (names
 * the argument, the rank and its value), HLC_ERR_MISMATCH (names two ranks and both values), HLC_ERR_MEMORY, HLC_ERR_TIMEOUT,
 * HLC_ERR_PEER_DIED, HLC_ERR_MPI. HLC_ERR_UNSUPPORTED for the minimum or maximum of complex numbers. Also, with the reason, if there are
 * several nodes and no network that all can use.
 */
HLC_NODISCARD HLC_API hlc_status hlc_allreduce_create(hlc_context *context, const hlc_allreduce_spec *spec, hlc_allreduce **plan);

/**
 * Combines count elements of in of all ranks into out of every rank. Collective: on all ranks each thread runs the same plans in the same
 * order. One thread at a time runs a plan. Returns when out is complete and in may be written again; out may be in, else the two must not
 * overlap. Both must be aligned as the type needs. Allocates nothing.
 *
 * Arrays of 128 KiB and more in memory from hlc_field_alloc, of the same context, are combined in place by all ranks of the node. This
 * takes about two thirds of the time. in and out, and different ranks, may use different memory from run to run. During the run,
 * hlc_field_free of that memory returns HLC_ERR_STATE, also on a rank that uses its part of it for something else. Where a rank of the node
 * has released its part, the arrays are copied.
 *
 * All ranks get the same bits. Every run gives the same bits again, with the same number of ranks, distribution of the ranks over nodes and
 * count. Element i is combined from left to right, on one node rank by rank, ascending. With N nodes (numbered by their lowest ranks) the
 * array has N parts. The first count mod N parts are one element longer than the others. Part p begins with node p and continues with node
 * p + 1; node 0 follows the last one. On each node it proceeds rank by rank. Neither chunk sizes nor timing affect the result.
 *
 * Waits at most HALOCLINE_TIMEOUT seconds for one rank. HLC_ERR_TIMEOUT and HLC_ERR_PEER_DIED name this rank. That rank may itself have
 * ended its run because of another rank, which it names. What is in out is undefined then, and the plan can only be destroyed;
 * HLC_ERR_STATE says so. HLC_ERR_ARGUMENT if plan is NULL, or in or out is where count is not 0.
 */
HLC_NODISCARD HLC_API hlc_status hlc_allreduce_run(hlc_allreduce *plan, const void *in, void *out);

/**
 * Waits for all ranks, releases a plan and sets *plan to NULL; NULL is fine. Collective. HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a rank has
 * died or does not arrive (within twice HALOCLINE_TIMEOUT); the plan is released then, too. HLC_ERR_MISMATCH, as for hlc_halo_finalise.
 */
HLC_NODISCARD HLC_API hlc_status hlc_allreduce_destroy(hlc_allreduce **plan);

/** What hlc_allreduce_create decided. Filled by hlc_allreduce_info. */
typedef struct hlc_allreduce_info_t {
  int parts; /**< one per node */
  int lanes; /**< chunks of a part that are combined side by side: the ranks of the largest node */
  int my_lanes; /**< number of these that the calling rank drives */
  int64_t chunk_bytes; /**< the most that a chunk holds; 0: every rank combines everything itself, in one step, and lanes are 1 */
  int64_t chunks; /**< of all parts together */
  int64_t network_bytes; /**< bytes that the calling rank sends to other nodes in one run */
  int64_t memory_bytes; /**< shared memory of this rank */
  double at_once_us; /**< microseconds that the machine cards predict if every rank combines everything itself; 0: they predict nothing */
  double chunks_us; /**< the same in chunks */
} hlc_allreduce_info_t;

/** Fills *info. Local. */
HLC_NODISCARD HLC_API hlc_status hlc_allreduce_info(const hlc_allreduce *plan, hlc_allreduce_info_t *info);

#ifdef __cplusplus
}
#endif

#endif
