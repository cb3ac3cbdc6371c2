/*
 * The C interface of GASPI 17.1 (that of Fortran is module GASPI) on Halocline's engine (libhalocline_gaspi). The numbers in brackets are
 * sections of the specification.
 *
 * Rules that hold for every function here, unless it says otherwise:
 *  - Values. GASPI_SUCCESS; GASPI_TIMEOUT: not done in time, and the same call continues it; GASPI_QUEUE_FULL; GASPI_ERROR or one of the
 *    codes GASPI_ERR_* otherwise. A wrong argument returns its code, and nothing has been done. Before gaspi_proc_init it is
 *    GASPI_ERR_NOINIT. gaspi_print_error has a text for each.
 *  - Timeouts are in milliseconds, and kept to 10 ms. GASPI_TEST checks once and returns, GASPI_BLOCK waits without limit.
 *    HALOCLINE_TIMEOUT bounds gaspi_proc_init alone. A wait ends early, with GASPI_ERROR, only if a rank is known to be lost. Such a rank
 *    has died on this node, or the network no longer reaches it. The wait must concern that rank: a member of the group, the target, or a
 *    rank that the queue has sent to. A wait for any sender (gaspi_notify_waitsome, gaspi_passive_receive) ends so once for each lost rank.
 *    gaspi_state_vec_get names the lost ranks.
 *  - Offsets and sizes are in bytes. A local buffer is that of a segment, too.
 *  - Completion. Communication is *local*ly complete, so that local memory may be used again, when gaspi_wait on its queue has returned.
 *    What it wrote has arrived when its notification is seen. It has also arrived when a collective call of a group of both ranks, begun
 *    after gaspi_wait, has returned.
 *  - Progress. Over networks that the processor drives, tcp among them, a rank serves others inside calls of this interface. This concerns
 *    ranks that others write to, read from or wait for. While it does not, a thread of its process does so within 8 ms, or at once with
 *    HALOCLINE_PROGRESS=thread or =helper.
 *  - Threads. Any thread may call at any time, if MPI provides MPI_THREAD_MULTIPLE. gaspi_proc_init requests that when it starts MPI.
 *    Collective calls are for one thread per group at a time.
 *
 * Programs are started with the MPI's launcher, and need not call MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef GASPI_H
#define GASPI_H

#if defined(__GNUC__)
#define GASPI_API __attribute__((visibility("default")))
#else
#define GASPI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- types and constants [4] */

#define GASPI_MAJOR_VERSION 17
#define GASPI_MINOR_VERSION 1
#define GASPI_REVISION 0

typedef char gaspi_char;
typedef unsigned char gaspi_uchar;
typedef short gaspi_short;
typedef unsigned short gaspi_ushort;
typedef int gaspi_int;
typedef unsigned int gaspi_uint;
typedef long gaspi_long;
typedef unsigned long gaspi_ulong;
typedef float gaspi_float;
typedef double gaspi_double;

typedef unsigned long gaspi_timeout_t; /**< milliseconds */
typedef unsigned short gaspi_rank_t;
typedef unsigned char gaspi_group_t;
typedef unsigned int gaspi_number_t;
typedef void *gaspi_pointer_t;
typedef const void *gaspi_const_pointer_t;
typedef void *gaspi_reduce_state_t;
typedef unsigned char gaspi_queue_id_t;
typedef unsigned long gaspi_size_t; /**< bytes */
typedef unsigned long gaspi_alloc_t;
typedef unsigned char gaspi_segment_id_t;
typedef unsigned long gaspi_offset_t; /**< bytes */
typedef unsigned long gaspi_atomic_value_t;
typedef float gaspi_time_t; /**< milliseconds */
typedef unsigned long gaspi_cycles_t;
typedef unsigned int gaspi_notification_id_t;
typedef unsigned int gaspi_notification_t;
typedef unsigned int gaspi_statistic_counter_t;
typedef char *gaspi_string_t;
typedef int gaspi_memory_description_t;

static const gaspi_group_t GASPI_GROUP_ALL = 0; /**< all ranks */
static const gaspi_timeout_t GASPI_BLOCK = ~0ul; /**< waits */
static const gaspi_timeout_t GASPI_TEST = 0; /**< looks once */

/** The result of a call. */
typedef enum {
  GASPI_ERROR = -1, /**< gaspi_print_error has a sentence about the last one of the calling thread */
  GASPI_SUCCESS = 0,
  GASPI_TIMEOUT = 1,
  GASPI_ERR_EMFILE = 2,
  GASPI_ERR_ENV = 3, /**< an environment variable, HALOCLINE_*, has a wrong value */
  GASPI_ERR_SN_PORT = 4,
  GASPI_ERR_CONFIG = 5, /**< a configuration that is not possible, or not that of the other ranks */
  GASPI_ERR_NOINIT = 6, /**< before gaspi_proc_init, or after gaspi_proc_term */
  GASPI_ERR_INITED = 7, /**< after gaspi_proc_init */
  GASPI_ERR_NULLPTR = 8,
  GASPI_ERR_INV_SEGSIZE = 9, /**< 0, or more than memory holds */
  GASPI_ERR_INV_SEG = 10, /**< there is no such segment, or it exists already */
  GASPI_ERR_INV_GROUP = 11, /**< there is no such group, or it is not committed, or is, where that is wrong */
  GASPI_ERR_INV_RANK = 12,
  GASPI_ERR_INV_QUEUE = 13,
  GASPI_ERR_INV_LOC_OFF = 14, /**< local bytes outside the segment */
  GASPI_ERR_INV_REM_OFF = 15, /**< remote bytes outside the segment */
  GASPI_ERR_INV_COMMSIZE = 16, /**< more than a transfer may have */
  GASPI_ERR_INV_NOTIF_VAL = 17, /**< 0 */
  GASPI_ERR_INV_NOTIF_ID = 18,
  GASPI_ERR_INV_NUM = 19, /**< a number of elements that is not possible */
  GASPI_ERR_INV_SIZE = 20, /**< a size that is not possible */
  GASPI_ERR_MANY_SEG = 21,
  GASPI_ERR_MANY_GRP = 22,
  GASPI_QUEUE_FULL = 23, /**< gaspi_wait first */
  GASPI_ERR_UNALIGN_OFF = 24, /**< an atomic's offset is no multiple of 8 */
  GASPI_ERR_ACTIVE_COLL = 25, /**< another collective call of the group has not been finished */
  GASPI_ERR_DEVICE = 26,
  GASPI_ERR_SN = 27,
  GASPI_ERR_MEMALLOC = 28
} gaspi_return_t;

/** Older name of GASPI_QUEUE_FULL. */
#define GASPI_ERR_MANY_Q_REQS GASPI_QUEUE_FULL

/** Of a rank, as far as this one knows. */
typedef enum { GASPI_STATE_HEALTHY = 0, GASPI_STATE_CORRUPT = 1 } gaspi_state_t;
typedef gaspi_state_t *gaspi_state_vector_t;

/** How the memory of a segment is made. Here it always holds zeros. */
enum gaspi_alloc_policy_flags { GASPI_MEM_UNINITIALIZED = 0, GASPI_MEM_INITIALIZED = 1 };
#define GASPI_ALLOC_DEFAULT GASPI_MEM_UNINITIALIZED

/**
 * What carries data to other nodes: GASPI_IB, GASPI_ROCE, GASPI_GEMINI and GASPI_ARIES are names that programs know, Halocline says
 * ETHERNET.
 */
typedef enum { GASPI_IB = 0, GASPI_ROCE = 1, GASPI_ETHERNET = 2, GASPI_GEMINI = 3, GASPI_ARIES = 4 } gaspi_network_t;

/**
 * When ranks connect. Here they connect when they first use each other; NONE also leaves GASPI_GROUP_ALL to be committed by the program.
 */
typedef enum { GASPI_TOPOLOGY_NONE = 0, GASPI_TOPOLOGY_STATIC = 1, GASPI_TOPOLOGY_DYNAMIC = 2 } gaspi_topology_t;

typedef enum { GASPI_OP_MIN = 0, GASPI_OP_MAX = 1, GASPI_OP_SUM = 2 } gaspi_operation_t;

typedef enum {
  GASPI_TYPE_INT = 0,
  GASPI_TYPE_UINT = 1,
  GASPI_TYPE_FLOAT = 2,
  GASPI_TYPE_DOUBLE = 3,
  GASPI_TYPE_LONG = 4,
  GASPI_TYPE_ULONG = 5
} gaspi_datatype_t;

/* ---------------------------------------------------------------- configuration [5.2] */

/** The device of a network, for programs that set it. It means nothing here. */
typedef struct {
  gaspi_network_t network_type;
  struct {
    struct {
      gaspi_int netdev_id; /**< -1 to 4 (-1) */
      gaspi_uint mtu; /**< 0, 1024, 2048 or 4096 (0) */
      gaspi_uint port_check;
    } ib;
    struct {
      gaspi_uint port;
    } tcp;
  } params;
} gaspi_dev_config_t;

/** What a job is started with. The first fields are there for programs that set them, and mean nothing here. */
typedef struct gaspi_config {
  gaspi_uint logger;
  gaspi_uint sn_port;
  gaspi_uint net_info;
  gaspi_uint user_net;
  gaspi_int sn_persistent;
  gaspi_timeout_t sn_timeout;
  gaspi_dev_config_t dev_config;

  gaspi_network_t network; /**< any; see gaspi_network_type */
  gaspi_uint queue_size_max; /**< requests of a queue: 1 to 4096 (1024) */
  gaspi_uint queue_num; /**< queues at the start: 1 to 16 (8) */
  gaspi_number_t group_max; /**< groups: 1 to 255 (32) */
  gaspi_number_t segment_max; /**< segments of a rank; ids are below it: 1 to 255 (255) */
  gaspi_size_t transfer_size_max; /**< bytes of a transfer: 1 to 1 TiB (1 GiB) */
  gaspi_number_t notification_num; /**< notifications of a segment: 0 to 65536 (65536) */
  gaspi_number_t passive_queue_size_max; /**< of no meaning here (1024) */
  gaspi_number_t passive_transfer_size_max; /**< bytes of a passive message: 1 to 65535 (65535) */
  gaspi_size_t allreduce_buf_size; /**< bytes of a reduction of the program: from 1 on (2040) */
  gaspi_number_t allreduce_elem_max; /**< elements of a predefined reduction: from 1 on (255) */
  gaspi_number_t rw_list_elem_max; /**< elements of a list: 1 to 255 (255) */
  gaspi_topology_t build_infrastructure; /**< (GASPI_TOPOLOGY_DYNAMIC) */
  void *user_defined; /**< the program's own */
} gaspi_config_t;

/** Writes the configuration: what was set, or the defaults. Before gaspi_proc_init, too. Local. [5.2.2] */
GASPI_API gaspi_return_t gaspi_config_get(gaspi_config_t *config);
/**
 * Sets the configuration that gaspi_proc_init will use, the same on all ranks. GASPI_ERR_CONFIG: a field is out of range; GASPI_ERR_INITED.
 * [5.2.3]
 */
GASPI_API gaspi_return_t gaspi_config_set(gaspi_config_t config);

/* ---------------------------------------------------------------- processes [5.3-5.5] */

/**
 * Opens the job for all ranks of MPI_COMM_WORLD, together; rank and size are MPI's. Starts MPI, with MPI_THREAD_MULTIPLE, if the program
 * has not. Waits for the other ranks for HALOCLINE_TIMEOUT seconds, for any value of the timeout. GASPI_ERR_INITED; GASPI_ERR_CONFIG if the
 * ranks disagree; GASPI_ERR_ENV. Not again after gaspi_proc_term if this has started MPI. [5.3.1, 5.6]
 */
GASPI_API gaspi_return_t gaspi_proc_init(gaspi_timeout_t timeout_ms);
/** Writes the number of ranks. Local. [5.3.2] */
GASPI_API gaspi_return_t gaspi_proc_num(gaspi_rank_t *proc_num);
/** Writes the caller's rank. Local. [5.3.3] */
GASPI_API gaspi_return_t gaspi_proc_rank(gaspi_rank_t *rank);
/**
 * Waits for the other ranks, and releases everything; ends MPI if gaspi_proc_init has started it. Collective. GASPI_TIMEOUT: nothing is
 * released yet. If a rank is lost, no rank waits for the others any longer: GASPI_SUCCESS, and MPI is not ended. Calls of other threads
 * that still wait when all ranks have arrived end with GASPI_ERROR. GASPI_ERROR if another thread is in it, inside an operation of
 * gaspi_allreduce_user, and after MPI_Finalize, where everything is released all the same. [5.3.4]
 */
GASPI_API gaspi_return_t gaspi_proc_term(gaspi_timeout_t timeout_ms);
/**
 * Ends another rank's process: at once on the same node (SIGKILL), elsewhere when it next waits for something. GASPI_ERR_INV_RANK also for
 * the calling rank. [5.3.5]
 */
GASPI_API gaspi_return_t gaspi_proc_kill(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/** Makes sure that there is a connection to a rank. GASPI_ERROR if it is lost. [5.4.1] */
GASPI_API gaspi_return_t gaspi_connect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/** Waits until what was sent to a rank is complete. The connection stays open until gaspi_proc_term. [5.4.2] */
GASPI_API gaspi_return_t gaspi_disconnect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/**
 * Writes the state of each rank to a vector of gaspi_proc_num elements. GASPI_STATE_CORRUPT: the rank is lost. Its process on this node has
 * ended, or something sent to it has failed. Or it was reached before and has not been for two seconds. Local. [5.5.2]
 */
GASPI_API gaspi_return_t gaspi_state_vec_get(gaspi_state_vector_t state_vector);

/* ---------------------------------------------------------------- groups [6] */

/**
 * Makes an empty group. GASPI_ERR_MANY_GRP: there are group_max groups, counting those that were deleted when a collective call of theirs
 * had failed or was not over. Local. [6.3.1]
 */
GASPI_API gaspi_return_t gaspi_group_create(gaspi_group_t *group);
/**
 * Adds a rank to a group that is not committed. GASPI_ERR_INV_RANK also if it is there already; GASPI_ERR_ACTIVE_COLL while its commit is
 * not over. Local. [6.3.2]
 */
GASPI_API gaspi_return_t gaspi_group_add(gaspi_group_t group, gaspi_rank_t rank);
/**
 * Makes a group ready for collective calls. Collective over its members, which have added the same ranks. Groups of the same members are
 * committed by all in one order. A group that is deleted after GASPI_TIMEOUT may be made anew and committed. [6.3.3]
 */
GASPI_API gaspi_return_t gaspi_group_commit(gaspi_group_t group, gaspi_timeout_t timeout_ms);
/** Deletes a group; not GASPI_GROUP_ALL. Local. [6.4.1] */
GASPI_API gaspi_return_t gaspi_group_delete(gaspi_group_t group);
/** Writes the number of groups, GASPI_GROUP_ALL among them. Local. [6.5.1] */
GASPI_API gaspi_return_t gaspi_group_num(gaspi_number_t *group_num);
/** Writes the number of ranks of a group. Local. [6.5.2] */
GASPI_API gaspi_return_t gaspi_group_size(gaspi_group_t group, gaspi_number_t *group_size);
/** Writes the ranks of a group, in rising order. Local. [6.5.3] */
GASPI_API gaspi_return_t gaspi_group_ranks(gaspi_group_t group, gaspi_rank_t *group_ranks);

/* ---------------------------------------------------------------- segments [7] */

/**
 * Makes a segment of this rank, which no other rank knows yet. GASPI_ERR_INV_SEG, GASPI_ERR_INV_SEGSIZE, GASPI_ERR_MEMALLOC. Local. [7.2.1]
 */
GASPI_API gaspi_return_t gaspi_segment_alloc(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_alloc_t alloc_policy);
/** Opens a segment of this rank to another rank, which need not call anything on the same node. [7.2.2] */
GASPI_API gaspi_return_t gaspi_segment_register(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/**
 * Makes a segment on each rank of a group, each of its own size, and makes it accessible to all of them. Returns when all may use it.
 * GASPI_ERR_MEMALLOC where there is no memory, GASPI_ERROR then on the others; none has a segment then. Collective over the group. [7.2.3]
 */
GASPI_API gaspi_return_t gaspi_segment_create(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_group_t group,
                                              gaspi_timeout_t timeout_ms, gaspi_alloc_t alloc_policy);
/**
 * As gaspi_segment_alloc, with memory of the program, which has to outlive the segment. Other ranks of the node reach it through the kernel
 * (process_vm_writev), which this process then allows them; atomics there take a lock. Not with HALOCLINE_PROGRESS=helper on several nodes.
 * memory_description is ignored. [7.2.4]
 */
GASPI_API gaspi_return_t gaspi_segment_bind(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size,
                                            gaspi_memory_description_t memory_description);
/** As gaspi_segment_create, with memory of the program, as gaspi_segment_bind. [7.2.5] */
GASPI_API gaspi_return_t gaspi_segment_use(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size, gaspi_group_t group,
                                           gaspi_timeout_t timeout_ms, gaspi_memory_description_t memory_description);
/** Deletes a segment of this rank. No rank may use it any more. Local. [7.3.1] */
GASPI_API gaspi_return_t gaspi_segment_delete(gaspi_segment_id_t segment_id);
/** Writes the number of segments of this rank. Local. [7.4.1] */
GASPI_API gaspi_return_t gaspi_segment_num(gaspi_number_t *segment_num);
/** Writes the ids of the first num segments of this rank. GASPI_ERR_INV_NUM if there are fewer. Local. [7.4.2] */
GASPI_API gaspi_return_t gaspi_segment_list(gaspi_number_t num, gaspi_segment_id_t *segment_id_list);
/** Writes where a segment of this rank begins, at a page unless the program has brought it. Local. [7.4.3] */
GASPI_API gaspi_return_t gaspi_segment_ptr(gaspi_segment_id_t segment_id, gaspi_pointer_t *pointer);
/** Writes the bytes of a segment of any rank that this one may use. Not in the specification; programs written for GPI-2 use it. */
GASPI_API gaspi_return_t gaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t *size);

/* ---------------------------------------------------------------- one-sided communication [8] */

/*
 * Rules for all of them. They are posted to a queue, and return before they are complete. To a rank of the same node they are complete. The
 * size is 0 to gaspi_transfer_size_max. With size 0 no data are moved, and only the notification arrives. GASPI_QUEUE_FULL: the queue has
 * no room, nothing has been posted. GASPI_TIMEOUT: nothing has been posted; of a list perhaps its first elements, as gaspi_queue_size says.
 * Either the network has no room, or the rank's segment is used for the first time and another node is queried about it. Or a notification
 * waits for data on a network that keeps no order. A request to a lost rank counts as posted: gaspi_wait reports its outcome. Errors:
 * GASPI_ERR_INV_SEG, _RANK, _QUEUE, _LOC_OFF, _REM_OFF, _COMMSIZE, _NOTIF_ID, _NOTIF_VAL.
 */

/** Writes bytes of a local segment to a segment of a rank. [8.2.1] */
GASPI_API gaspi_return_t gaspi_write(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                     gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                     gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/** Reads bytes of a segment of a rank into a local segment, where they are after gaspi_wait. [8.2.2] */
GASPI_API gaspi_return_t gaspi_read(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                    gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                    gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/**
 * Waits until everything posted to a queue is locally complete, and empties it. GASPI_ERROR if a request has failed, among them all to
 * ranks that were known to be lost. Each such rank is reported once, and its failed requests then are no longer in the queue. The next call
 * waits for the others, which are carried out. Posting to the queue may continue. [8.2.3]
 */
GASPI_API gaspi_return_t gaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/**
 * Sets a notification of a segment of a rank, after everything that was written to that rank before by the same queue. A value that has not
 * been reset is lost. [8.3.2]
 */
GASPI_API gaspi_return_t gaspi_notify(gaspi_segment_id_t segment_id_remote, gaspi_rank_t rank, gaspi_notification_id_t notification_id,
                                      gaspi_notification_t notification_value, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/**
 * Waits until one of the notifications begin to begin + num - 1 of a local segment is set, and writes the lowest id of those seen. It stays
 * set. The data that it announces may be read. With num = 0 it waits for nothing: GASPI_SUCCESS, *first_id stays. [8.3.3]
 */
GASPI_API gaspi_return_t gaspi_notify_waitsome(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_begin,
                                               gaspi_number_t num, gaspi_notification_id_t *first_id, gaspi_timeout_t timeout_ms);
/**
 * Sets a notification of a local segment to 0 and writes its previous value, in one atomic step. Of several threads that reset it, one gets
 * its value, the others 0. The old value is not written where old_notification_val is NULL. [8.3.4]
 */
GASPI_API gaspi_return_t gaspi_notify_reset(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_id,
                                            gaspi_notification_t *old_notification_val);

/** As gaspi_write; then sets a notification of the remote segment, which arrives after these data. [8.4.1] */
GASPI_API gaspi_return_t gaspi_write_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                            gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                            gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                            gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/**
 * As gaspi_read; then sets a notification of the local segment to 1, after these data have arrived. A thread that waits for it drives
 * progress. [8.4.4]
 */
GASPI_API gaspi_return_t gaspi_read_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                           gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                           gaspi_notification_id_t notification_id, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/*
 * Lists of 1 to gaspi_rw_list_elem_max elements (GASPI_ERR_INV_NUM), all of one rank, are as many requests of a queue; they are checked
 * before any is posted.
 */

/** As gaspi_write for each element. [8.4.2] */
GASPI_API gaspi_return_t gaspi_write_list(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local,
                                          const gaspi_offset_t *offset_local, gaspi_rank_t rank,
                                          const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                          const gaspi_size_t *size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/** The same; then sets a notification of a segment of the rank, which arrives after all of them. One request more. [8.4.3] */
GASPI_API gaspi_return_t gaspi_write_list_notify(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local,
                                                 const gaspi_offset_t *offset_local, gaspi_rank_t rank,
                                                 const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                                 const gaspi_size_t *size, gaspi_segment_id_t segment_id_notification,
                                                 gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                                 gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/** As gaspi_read for each element. [8.4.5] */
GASPI_API gaspi_return_t gaspi_read_list(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                         gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote,
                                         const gaspi_offset_t *offset_remote, const gaspi_size_t *size, gaspi_queue_id_t queue,
                                         gaspi_timeout_t timeout_ms);
/**
 * The same; then sets a notification of a local segment, as gaspi_read_notify. Not in the specification; programs written for GPI-2 use it.
 */
GASPI_API gaspi_return_t gaspi_read_list_notify(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local,
                                                const gaspi_offset_t *offset_local, gaspi_rank_t rank,
                                                const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                                const gaspi_size_t *size, gaspi_segment_id_t segment_id_notification,
                                                gaspi_notification_id_t notification_id, gaspi_queue_id_t queue,
                                                gaspi_timeout_t timeout_ms);

/** Writes the number of requests that were posted to a queue since it was last waited for. Local. [8.5.3] */
GASPI_API gaspi_return_t gaspi_queue_size(gaspi_queue_id_t queue, gaspi_number_t *queue_size);
/** Makes a queue. GASPI_ERR_INV_QUEUE: there are gaspi_queue_max already. [8.5.1] */
GASPI_API gaspi_return_t gaspi_queue_create(gaspi_queue_id_t *queue, gaspi_timeout_t timeout_ms);
/** Deletes a queue, whose requests must be complete. [8.5.2] */
GASPI_API gaspi_return_t gaspi_queue_delete(gaspi_queue_id_t queue);
/** Forgets what was posted to a queue, of which nothing is known any more, and its failures. [8.5.4] */
GASPI_API gaspi_return_t gaspi_queue_purge(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/* ---------------------------------------------------------------- passive communication [9] */

/**
 * Sends bytes of a local segment to a rank, which receives them whenever it likes; returns when they may be changed again. Each rank has
 * room for one message that it has not received: another one waits for that. After GASPI_TIMEOUT the same thread continues it with the same
 * arguments, and may send others meanwhile. GASPI_ERR_INV_COMMSIZE: more than gaspi_passive_transfer_size_max. GASPI_ERROR: the rank is
 * lost. [9.2.1]
 */
GASPI_API gaspi_return_t gaspi_passive_send(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                            gaspi_size_t size, gaspi_timeout_t timeout_ms);
/**
 * Receives a message from any rank, and writes which one. GASPI_ERR_INV_SIZE: it has more than `size` bytes, and is still there; it may
 * have fewer. [9.2.2]
 */
GASPI_API gaspi_return_t gaspi_passive_receive(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t *rem_rank,
                                               gaspi_size_t size, gaspi_timeout_t timeout_ms);
/**
 * Drops messages whose sending has not ended in time, and releases the space reserved for them at other ranks. A program that does not send
 * them again must call it, or others may wait. [9.3.1]
 */
GASPI_API gaspi_return_t gaspi_passive_queue_purge(gaspi_timeout_t timeout_ms);

/* ---------------------------------------------------------------- atomics [10] */

/*
 * On unsigned numbers of 64 bits, at offsets that are multiples of 8 (GASPI_ERR_UNALIGN_OFF); atomic with respect to each other. They
 * return when they are done; over a network they wait for the target. After GASPI_TIMEOUT the number may have been changed or not; the same
 * call of the same thread continues it, and changes the number once. 1,024 such calls are kept. GASPI_ERROR: the rank is lost.
 */

/** Adds to a number, and writes what it was. [10.2.1] */
GASPI_API gaspi_return_t gaspi_atomic_fetch_add(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                                gaspi_atomic_value_t value_add, gaspi_atomic_value_t *value_old,
                                                gaspi_timeout_t timeout_ms);
/** Replaces a number if it is `comparator`, and writes what it was. [10.2.2] */
GASPI_API gaspi_return_t gaspi_atomic_compare_swap(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                                   gaspi_atomic_value_t comparator, gaspi_atomic_value_t value_new,
                                                   gaspi_atomic_value_t *value_old, gaspi_timeout_t timeout_ms);

/* ---------------------------------------------------------------- collective communication [11] */

/** Returns when all ranks of a group have called it. Collective over the group. [11.2.1] */
GASPI_API gaspi_return_t gaspi_barrier(gaspi_group_t group, gaspi_timeout_t timeout_ms);

/**
 * Reduces num elements of each rank of a group, element by element, and writes the result on all of them. The bits are the same on all
 * ranks, and every time for the same values and group. The buffers may be anywhere, and may be the same. Integers wrap around. Collective
 * over the group, all with the same arguments. GASPI_ERR_INV_NUM: none, or more than gaspi_allreduce_elem_max. [11.3]
 */
GASPI_API gaspi_return_t gaspi_allreduce(gaspi_const_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                                         gaspi_operation_t operation, gaspi_datatype_t datatype, gaspi_group_t group,
                                         gaspi_timeout_t timeout_ms);

/**
 * An operation of the program. It combines num elements each of operand_one, which holds lower ranks, and operand_two. It writes them to
 * result, which is neither. If it returns GASPI_TIMEOUT, it is called again. Any other value but GASPI_SUCCESS ends gaspi_allreduce_user
 * with GASPI_ERROR. [11.4.2]
 */
typedef gaspi_return_t (*gaspi_reduce_operation_t)(gaspi_pointer_t operand_one, gaspi_pointer_t operand_two, gaspi_pointer_t result,
                                                   gaspi_reduce_state_t state, gaspi_number_t num, gaspi_size_t element_size,
                                                   gaspi_timeout_t timeout_ms);
/** As gaspi_allreduce, with an operation of the program. GASPI_ERR_INV_SIZE: more bytes than gaspi_allreduce_buf_size. [11.4.1] */
GASPI_API gaspi_return_t gaspi_allreduce_user(gaspi_const_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                                              gaspi_size_t element_size, gaspi_reduce_operation_t reduce_operation,
                                              gaspi_reduce_state_t reduce_state, gaspi_group_t group, gaspi_timeout_t timeout_ms);

/* ---------------------------------------------------------------- limits [12] */

/** Most groups. [12.1.1] */
GASPI_API gaspi_return_t gaspi_group_max(gaspi_number_t *group_max);
/** Most segments; their ids are below it. [12.2.1] */
GASPI_API gaspi_return_t gaspi_segment_max(gaspi_number_t *segment_max);
/** Queues that there are. [12.3.1] */
GASPI_API gaspi_return_t gaspi_queue_num(gaspi_number_t *queue_num);
/** Most requests of a queue. [12.3.2] */
GASPI_API gaspi_return_t gaspi_queue_size_max(gaspi_number_t *queue_size_max);
/** Most queues. [12.3.3] */
GASPI_API gaspi_return_t gaspi_queue_max(gaspi_number_t *queue_max);
/** Least bytes of a transfer: 0. Not in the specification; programs written for GPI-2 use it. */
GASPI_API gaspi_return_t gaspi_transfer_size_min(gaspi_size_t *transfer_size_min);
/** Most bytes of a transfer. [12.3.4] */
GASPI_API gaspi_return_t gaspi_transfer_size_max(gaspi_size_t *transfer_size_max);
/** Notifications of a segment; their ids are below it. [12.3.5] */
GASPI_API gaspi_return_t gaspi_notification_num(gaspi_number_t *notification_num);
/** Least bytes of a passive message. It is not in the specification; programs written for GPI-2 use it. */
GASPI_API gaspi_return_t gaspi_passive_transfer_size_min(gaspi_size_t *passive_transfer_size_min);
/** Most bytes of a passive message. [12.4.1] */
GASPI_API gaspi_return_t gaspi_passive_transfer_size_max(gaspi_size_t *passive_transfer_size_max);
/** Most elements of a list. Not in the specification; programs written for GPI-2 use it. */
GASPI_API gaspi_return_t gaspi_rw_list_elem_max(gaspi_number_t *elem_max);
/** Most bytes of gaspi_allreduce_user. [12.6.1] */
GASPI_API gaspi_return_t gaspi_allreduce_buf_size(gaspi_size_t *buf_size);
/** Most elements of gaspi_allreduce. [12.6.2] */
GASPI_API gaspi_return_t gaspi_allreduce_elem_max(gaspi_number_t *elem_max);
/** The largest number of an atomic. [12.5.1] */
GASPI_API gaspi_return_t gaspi_atomic_max(gaspi_atomic_value_t *max_value);
/** What carries data to other nodes: always GASPI_ETHERNET. [12.7.1] */
GASPI_API gaspi_return_t gaspi_network_type(gaspi_network_t *network_type);
/** Whether ranks connect at the start: the field of the configuration. [12.7.2] */
GASPI_API gaspi_return_t gaspi_build_infrastructure(gaspi_number_t *build_infrastructure);

/* ---------------------------------------------------------------- environment [13] */

/** Writes the version of the specification, 17.1. Before gaspi_proc_init, too. [13.1.1] */
GASPI_API gaspi_return_t gaspi_version(float *version);
/** Writes milliseconds since some moment. Before gaspi_proc_init, too. [13.2.1] */
GASPI_API gaspi_return_t gaspi_time_get(gaspi_time_t *wtime);
/** Writes nanoseconds of the same clock. Before gaspi_proc_init, too. [13.2.2] */
GASPI_API gaspi_return_t gaspi_time_ticks(gaspi_cycles_t *ticks);
/**
 * Writes a text for a code; for GASPI_ERROR with the sentence about the calling thread's last error. It is to be released with free.
 * GASPI_ERR_MEMALLOC. Before gaspi_proc_init, too. [13.3.2]
 */
GASPI_API gaspi_return_t gaspi_print_error(gaspi_return_t error_code, gaspi_string_t *error_message);

/* ---------------------------------------------------------------- statistics and tracing [14] */

/** What the argument of a counter means: here none has one. */
typedef enum { GASPI_STATISTIC_ARGUMENT_NONE = 0, GASPI_STATISTIC_ARGUMENT_RANK = 1 } gaspi_statistic_argument_t;

/** Writes the number of counters; they are numbered from 0. [14.1.1] */
GASPI_API gaspi_return_t gaspi_statistic_counter_max(gaspi_number_t *counter_max);
/** Writes what a counter counts, in texts that stay. GASPI_ERR_INV_NUM: there is none of that number. [14.1.2] */
GASPI_API gaspi_return_t gaspi_statistic_counter_info(gaspi_statistic_counter_t counter, gaspi_statistic_argument_t *counter_argument,
                                                      gaspi_string_t *counter_name, gaspi_string_t *counter_description,
                                                      gaspi_number_t *verbosity_level);
/** Counters of this level and below count from now on; 0, at the start: none. [14.1.3] */
GASPI_API gaspi_return_t gaspi_statistic_verbosity_level(gaspi_number_t verbosity_level);
/** Writes a counter of this process. [14.1.4] */
GASPI_API gaspi_return_t gaspi_statistic_counter_get(gaspi_statistic_counter_t counter, gaspi_number_t argument, unsigned long *value);
/** Sets a counter to 0. [14.1.5] */
GASPI_API gaspi_return_t gaspi_statistic_counter_reset(gaspi_statistic_counter_t counter);
/** Does nothing; a tracer may replace it. [14.2.1] */
GASPI_API gaspi_return_t gaspi_pcontrol(gaspi_pointer_t argument);

#ifdef __cplusplus
}
#endif
#endif
