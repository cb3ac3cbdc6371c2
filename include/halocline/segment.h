/*
 * One-sided communication: segments of memory that every rank can access, put, get, atomics, notifications, flush and barrier. Part of the
 * C API; halocline.h includes it.
 *
 * Rules that hold for every function here, unless it says otherwise:
 *  - Completion. An operation is *locally* complete when its local buffer may be reused (put, accumulate) or read (get). It is *remotely*
 *    complete when the target's memory has changed. hlc_flush_local waits for the first, hlc_flush for both. Between ranks of one node
 *    every operation is locally complete when it returns. Programs that rely on that do not work across nodes.
 *  - Other nodes. Segments use the network (hlc_context_network) to reach other nodes. Some networks, tcp among them, move data only while
 *    both processes drive progress. Atomics are always carried out by the target. A rank that calls the library now and then, at least
 *    hlc_notify_test, serves others at once. While a rank computes or is inside MPI, its spare thread serves others, up to 8 milliseconds
 *    late. With HALOCLINE_PROGRESS=thread its progress thread does so at once, and with =helper a process of its node. With =caller others
 *    are not served meanwhile. A call that waits for another node ends after HALOCLINE_TIMEOUT seconds with HLC_ERR_TIMEOUT. A failure that
 *    the network reports is HLC_ERR_PEER_DIED, with both ranks and the host. The next call that waits for or writes to that rank returns
 *    it. The first operation between two such ranks allocates memory on both.
 *  - Order. Operations are not ordered among each other, neither to one target nor to several. The exception is hlc_put_notify, whose
 *    notification never arrives before its own data. Flushed operations precede everything that this rank does next.
 *  - What the target sees. It may read data once it knows that they have arrived. It knows this from their notification, from a barrier
 *    after the origin's flush, or from a message that the origin sent after its flush. Bytes that one rank puts while another puts, gets,
 *    or accesses them itself are undefined. Only atomic operations may be concurrent.
 *  - After an error. Outstanding operations continue. Local buffers of gets, and of puts above 2 KiB, are used until a later flush of that
 *    rank is HLC_OK, or until hlc_finalise. Where several contexts of the process use the same network, hlc_finalise of the last one
 *    counts. So these buffers must not be local variables of a function that returns before.
 *  - Threads. With MPI_THREAD_MULTIPLE any thread may call at any time. Collective calls and hlc_barrier are for one thread at a time. A
 *    flush completes the operations that the calling thread has begun before.
 *  - Errors. HLC_ERR_ARGUMENT names the argument, the calling rank and the value, and nothing has been done. Wrong are: segment NULL, rank
 *    outside the context, bytes outside the target's part, id outside the notifications. Wrong are also a value of 0, and an address that
 *    does not fit an atomic's type. HLC_ERR_STATE: the segment has been freed.
 *
 * Sources: GASPI specification 17.1, sections 7 (segments), 8 (one-sided communication, notifications), 10 (atomics). MPI 3.1, sections
 * 11.2 to 11.5 and 11.7. OpenSHMEM 1.5, sections 9.5 to 9.10.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_SEGMENT_H
#define HALOCLINE_SEGMENT_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most notifications that a segment may have. */
#define HLC_MAX_NOTIFICATIONS 65536

/** Memory and notifications on every rank of a context: hlc_segment_create. */
typedef struct hlc_segment hlc_segment;

/* ---------------------------------------------------------------- segments */

/** What hlc_segment_create needs. Zero-initialise it. */
typedef struct hlc_segment_spec {
  int64_t bytes;       /**< of this rank's part: 0 or more, each rank its own */
  int notifications; /**< of each rank's part: 0 to HLC_MAX_NOTIFICATIONS, the same on all ranks; their ids are 0 to notifications - 1 */
  /**
   * Not 0, on all ranks: the ranks of a node share one set of notifications. A notification to any of them is set in this set. Any rank of
   * the node may wait for it, test and reset it, whichever rank it was sent to. Of several ranks that reset it, one gets the value. From
   * another node it is set when the addressed rank calls the library, or by its thread or helper (HALOCLINE_PROGRESS). Source: Simmendinger
   * et al., section 3.2.
   */
  int shared;
} hlc_segment_spec;

/**
 * Makes a segment: a part of memory per rank. All ranks of the context may put to it and get from it. The ranks of a node may also load and
 * store it directly. Parts are aligned to a page and hold zeros. Notifications are not set. Collective; returns when all ranks may use it.
 * Errors, the same on all ranks: HLC_ERR_ARGUMENT, HLC_ERR_MISMATCH (notifications or shared differ), HLC_ERR_MEMORY, HLC_ERR_TIMEOUT,
 * HLC_ERR_PEER_DIED, HLC_ERR_MPI. HLC_ERR_UNSUPPORTED, with the reason, if there are several nodes and no network that all can use. Source:
 * gaspi_segment_create, MPI_Win_allocate.
 */
HLC_NODISCARD HLC_API hlc_status hlc_segment_create(hlc_context *context, const hlc_segment_spec *spec, hlc_segment **segment);

/**
 * Waits until all ranks have called it, completes this rank's operations, releases the segment and sets *segment to NULL. NULL is fine.
 * Collective. Calls with other copies of the handle return HLC_ERR_STATE until the context is closed (the last 8 freed segments of a
 * context are remembered). HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a rank has died or does not arrive (within twice HALOCLINE_TIMEOUT); the
 * segment is released then, too. HLC_ERR_MISMATCH, as for hlc_halo_finalise.
 */
HLC_NODISCARD HLC_API hlc_status hlc_segment_free(hlc_segment **segment);

/** Returns this rank's own part; NULL if it has 0 bytes, or if the segment is NULL or freed. Local; any thread. */
HLC_API void *hlc_segment_data(const hlc_segment *segment);

/** What is known of one rank's part. Filled by hlc_segment_info. */
typedef struct hlc_segment_info_t {
  int64_t bytes;       /**< as requested */
  int notifications; /**< as requested */
  void *data; /**< where this process sees the part, if the rank is on its node; NULL on another node, and for a part of 0 bytes */
} hlc_segment_info_t;

/** Fills *info for any rank. Local; any thread. Source: MPI_Win_shared_query. */
HLC_NODISCARD HLC_API hlc_status hlc_segment_info(const hlc_segment *segment, int rank, hlc_segment_info_t *info);

/* ---------------------------------------------------------------- put and get */

/** The target of an operation: byte `offset` of a rank's part. The calling rank itself is a valid target. */
typedef struct hlc_target {
  hlc_segment *segment; /**< of the context that rank counts in */
  int rank; /**< whose part it is */
  int64_t offset; /**< in bytes, from the beginning of the part */
} hlc_target;

/** Writes bytes bytes from data to the target. data may be reused after local completion, and must not overlap what is written. */
HLC_NODISCARD HLC_API hlc_status hlc_put(hlc_target to, const void *data, int64_t bytes);

/** Reads bytes bytes from the target to data, where they may be read after local completion. */
HLC_NODISCARD HLC_API hlc_status hlc_get(hlc_target from, void *data, int64_t bytes);

/**
 * Runs of bytes, equally spaced in up to four dimensions. Run (i0, i1, ...), 0 <= i_d < count[d], begins at sum(i_d * stride[d]) from the
 * address or offset of the operation. Strides are in bytes and may be negative. A count of 0 is an empty block. ndims 0: one run. Runs must
 * not overlap where they are written. The exception is a stride of 0, which sends several to one place: only the last one is moved.
 */
typedef struct hlc_block {
  int64_t run_bytes; /**< contiguous bytes of a run, 0 or more */
  int ndims; /**< 0 to HLC_MAX_DIMS */
  int64_t count[HLC_MAX_DIMS]; /**< runs along each dimension, 0 or more */
  int64_t local_stride[HLC_MAX_DIMS]; /**< in the local buffer */
  int64_t target_stride[HLC_MAX_DIMS]; /**< in the target's part */
} hlc_block;

/** Writes a block from data to the target; as hlc_put. Source: ARMCI_PutS. */
HLC_NODISCARD HLC_API hlc_status hlc_put_strided(hlc_target to, const void *data, const hlc_block *block);

/** Reads a block from the target to data; as hlc_get. Source: ARMCI_GetS. */
HLC_NODISCARD HLC_API hlc_status hlc_get_strided(hlc_target from, void *data, const hlc_block *block);

/* ---------------------------------------------------------------- notifications */

/** A notification of the target's part: its id, and the value that it is set to. */
typedef struct hlc_notification {
  int id; /**< 0 to the segment's notifications - 1 */
  uint32_t value; /**< not 0 */
} hlc_notification;

/**
 * Writes bytes bytes from data to the target (0 are allowed), then sets a notification there. A rank that has seen the notification sees
 * the data. Other operations of this rank may arrive later than the notification: flush them first. A notification that has not been reset
 * yet is overwritten, and its earlier value is lost. So several ranks may use one only in turn. Source: gaspi_write_notify.
 */
HLC_NODISCARD HLC_API hlc_status hlc_put_notify(hlc_target to, const void *data, int64_t bytes, hlc_notification notification);

/** Sets a notification in a rank's part, without data. Source: gaspi_notify. */
HLC_NODISCARD HLC_API hlc_status hlc_notify(hlc_segment *segment, int rank, hlc_notification notification);

/**
 * A range of ids of the calling rank's own part, or of its node's where they are shared. It is first to first + count - 1, with count 1 or
 * more.
 */
typedef struct hlc_ids {
  int first, count; /**< the lowest id, and how many follow from it on */
} hlc_ids;

/**
 * Waits until a notification of the range is set and writes its id to *id: the lowest of those seen. The notification stays set until it is
 * reset. Waits at most HALOCLINE_TIMEOUT seconds: HLC_ERR_TIMEOUT. HLC_ERR_PEER_DIED names a rank of the node whose process has ended while
 * no notification was set. Source: gaspi_notify_waitsome.
 */
HLC_NODISCARD HLC_API hlc_status hlc_notify_wait(hlc_segment *segment, hlc_ids ids, int *id);

/** As hlc_notify_wait, but does not wait: HLC_AGAIN if no notification of the range is set. */
HLC_NODISCARD HLC_API hlc_status hlc_notify_test(hlc_segment *segment, hlc_ids ids, int *id);

/**
 * Takes a notification of this rank's own part, or of its node's where they are shared. It sets it to 0 and writes its value to *value, in
 * one atomic step. Of several threads or ranks that take the same notification, one gets its value and the others get 0. If the value is
 * not 0, data put before the notification was set may then be read. Source: gaspi_notify_reset.
 */
HLC_NODISCARD HLC_API hlc_status hlc_notify_reset(hlc_segment *segment, int id, uint32_t *value);

/* ---------------------------------------------------------------- atomics */

/** The numbers that atomics work on. */
typedef enum hlc_number HLC_INT {
  HLC_NUMBER_INT8 = 0,
  HLC_NUMBER_INT16,
  HLC_NUMBER_INT32,
  HLC_NUMBER_INT64,
  HLC_NUMBER_UINT8,
  HLC_NUMBER_UINT16,
  HLC_NUMBER_UINT32,
  HLC_NUMBER_UINT64,
  HLC_NUMBER_FLOAT32,
  HLC_NUMBER_FLOAT64,
  HLC_NUMBER_COUNT_
} hlc_number;

/** What an atomic makes of the target's value t and the operand v. Integers wrap around. BAND, BOR, BXOR: integers only. */
typedef enum hlc_op HLC_INT {
  HLC_OP_SUM = 0, /**< t + v */
  HLC_OP_MIN, /**< v < t ? v : t */
  HLC_OP_MAX, /**< t < v ? v : t */
  HLC_OP_PROD, /**< t * v */
  HLC_OP_BAND, /**< t & v */
  HLC_OP_BOR, /**< t | v */
  HLC_OP_BXOR, /**< t ^ v */
  HLC_OP_REPLACE, /**< v */
  HLC_OP_READ, /**< t: an atomic read; the operand may be NULL */
  HLC_OP_COUNT_
} hlc_op;

/** An operation and the type of its operands. */
typedef struct hlc_action {
  hlc_op op; /**< what becomes of the target's value */
  hlc_number type; /**< of value and operand */
} hlc_action;

/*
 * Each element is changed in one step with respect to all other atomics of this header on an element of the same type size there. This
 * holds for all callers and routes. It holds for the processor's atomic instructions, too, on integers of 32 and 64 bits to which
 * hlc_segment_info leads. It does not hold with respect to put, get and the application's plain loads and stores. The offset must be a
 * multiple of the type's size. An atomic orders only its own element: data put before it must be flushed first. Atomics that can return
 * the old value are complete, at both ends, when they return, also where old is NULL. They precede everything that the caller does next.
 */

/**
 * Adds to a 32-bit or 64-bit integer (other types: HLC_ERR_ARGUMENT) and writes its previous value to *old, unless that is NULL. Values are
 * passed and returned as int64_t: an unsigned 64-bit value as the same bits. Source: gaspi_atomic_fetch_add.
 */
HLC_NODISCARD HLC_API hlc_status hlc_atomic_fetch_add(hlc_target at, hlc_number type, int64_t value, int64_t *old);

/** Replaces a 32-bit or 64-bit integer; otherwise as hlc_atomic_fetch_add. Source: shmem_atomic_swap. */
HLC_NODISCARD HLC_API hlc_status hlc_atomic_swap(hlc_target at, hlc_number type, int64_t value, int64_t *old);

/** Replaces a 32-bit or 64-bit integer if it equals `expected`; otherwise as hlc_atomic_fetch_add. Source: gaspi_atomic_compare_swap. */
HLC_NODISCARD HLC_API hlc_status hlc_atomic_compare_swap(hlc_target at, hlc_number type, int64_t expected, int64_t value, int64_t *old);

/** Combines one element with *operand and writes its previous value to *old, unless that is NULL. Source: MPI_Fetch_and_op. */
HLC_NODISCARD HLC_API hlc_status hlc_fetch_op(hlc_target at, hlc_action action, const void *operand, void *old);

/**
 * Combines count contiguous elements with those of data. Each element is combined atomically, the whole is not. Complete after a flush.
 * Source: MPI_Accumulate.
 */
HLC_NODISCARD HLC_API hlc_status hlc_accumulate(hlc_target at, hlc_action action, const void *data, int64_t count);

/** One atomic of a list, on an integer of 32 or 64 bits. Zero-initialise it. */
typedef struct hlc_atomic {
  hlc_target at; /**< the integer; its offset is a multiple of its size */
  hlc_number type; /**< HLC_NUMBER_INT32, INT64, UINT32 or UINT64 */
  hlc_op op; /**< ignored with compare */
  int compare; /**< not 0: the integer becomes value if it equals expected */
  int64_t value; /**< the operand, as in hlc_atomic_fetch_add */
  int64_t expected; /**< only with compare */
  int64_t old; /**< out: the previous value */
} hlc_atomic;

/**
 * Carries out count atomics. Of those on other nodes up to 256 are under way at a time. Those of them on one rank's part share a message and
 * its reply. They are not ordered among each other, not even those on one integer. Each precedes everything that the caller does after this
 * call. Returns when all are complete at both ends and `old` of each holds the previous value. Targets may be in several segments of one
 * context. count is 0 or more; list may be NULL if it is 0. After an error it is unknown which of them have been carried out; `old` is then
 * undefined. Any thread. Errors: as hlc_atomic_compare_swap and hlc_fetch_op. Source: MPI_Fetch_and_op and MPI_Compare_and_swap, several
 * before a flush.
 */
HLC_NODISCARD HLC_API hlc_status hlc_atomics(hlc_atomic *list, int64_t count);

/* ---------------------------------------------------------------- completion */

/**
 * Waits until all operations of this thread on a rank's part are complete at both ends. They precede everything that this rank does
 * afterwards: a message or notification that it sends, an atomic, a get. Source: MPI_Win_flush, shmem_quiet.
 */
HLC_NODISCARD HLC_API hlc_status hlc_flush(hlc_segment *segment, int rank);
/** As hlc_flush, for all ranks. */
HLC_NODISCARD HLC_API hlc_status hlc_flush_all(hlc_segment *segment);
/** Waits until all operations of this thread on a rank's part are locally complete. Source: MPI_Win_flush_local. */
HLC_NODISCARD HLC_API hlc_status hlc_flush_local(hlc_segment *segment, int rank);
/** As hlc_flush_local, for all ranks. */
HLC_NODISCARD HLC_API hlc_status hlc_flush_local_all(hlc_segment *segment);

/**
 * Returns when all ranks of the context have called it, after O(log(ranks)) notifications. All ranks see after it what a rank stored or
 * flushed before it. The barrier completes no operation itself. One thread per segment at a time; barriers of different segments are
 * independent. Waits at most HALOCLINE_TIMEOUT seconds. HLC_ERR_TIMEOUT names the rank that this one waited for, HLC_ERR_PEER_DIED a rank
 * of the node whose process has ended. Further barriers of the segment then return HLC_ERR_STATE. Source: dissemination barrier of Hensgen,
 * Finkel and Manber; gaspi_barrier.
 */
HLC_NODISCARD HLC_API hlc_status hlc_barrier(hlc_segment *segment);

#ifdef __cplusplus
}
#endif
#endif
