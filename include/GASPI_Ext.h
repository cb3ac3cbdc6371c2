/*
 * What this library adds to GASPI 17.1. First, segments that the ranks of a node share. Ranks know the address of each other's data and
 * share one set of notifications. Any of them may wait for, test and reset a notification that was sent to any of them. Then functions that
 * programs written for GPI-2 use, with the names and arguments that they have there.
 *
 * Source of the first: Simmendinger et al., Interoperability strategies for GASPI and MPI in large-scale scientific applications, section
 * 3.2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef GASPI_EXT_H
#define GASPI_EXT_H

#include <GASPI.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An allocation policy of gaspi_segment_create, which may be combined with the others by |: the ranks of a node share one set of
 * notifications. A notification to any of them is set there. gaspi_notify_waitsome on any of them finds it, and of several
 * gaspi_notify_reset one gets the value, the others get 0. All ranks of the group call with it, or none, and have set the same
 * notification_num: else GASPI_ERROR on all of them. gaspi_segment_alloc does not accept it (GASPI_ERROR), because it is not collective. A
 * notification from another node is seen when the addressed rank calls the library. Otherwise the thread or helper process of
 * HALOCLINE_PROGRESS receives it.
 */
#define GASPI_MEM_SHARED 2

/**
 * Writes where this process sees the segment of a rank of its node to *pointer. It is null for a rank of another node, and where another
 * rank has provided its memory (gaspi_segment_use, gaspi_segment_bind). The address is valid until this rank deletes its segment of that
 * id, or the job ends. After the other rank has deleted its own, changes that it makes there are not visible. GASPI_ERR_INV_RANK,
 * GASPI_ERR_INV_SEG, GASPI_ERR_NULLPTR. Local after the first use. Any thread. Source: MPI_Win_shared_query.
 */
GASPI_API gaspi_return_t gaspi_segment_ptr_of(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_pointer_t *pointer);

/* ---------------------------------------------------------------- functions of GPI-2: any thread, local unless they say otherwise */

/** Writes 1 between gaspi_proc_init and gaspi_proc_term, else 0. GASPI_ERR_NULLPTR. */
GASPI_API gaspi_return_t gaspi_initialized(gaspi_number_t *initialized);
/** Writes the caller's number among the ranks of its node, from 0 on. GASPI_ERR_NOINIT, GASPI_ERR_NULLPTR. */
GASPI_API gaspi_return_t gaspi_proc_local_rank(gaspi_rank_t *local_rank);
/** Writes the number of ranks of the caller's node. GASPI_ERR_NOINIT, GASPI_ERR_NULLPTR. */
GASPI_API gaspi_return_t gaspi_proc_local_num(gaspi_rank_t *local_num);
/**
 * Finds out whether a rank is alive: on another node by a read, on this one by a check of its process. GASPI_ERROR if it is lost.
 * GASPI_ERR_INV_RANK, GASPI_ERR_NOINIT.
 */
GASPI_API gaspi_return_t gaspi_proc_ping(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/**
 * Writes the lowest id of which this rank has no segment. GASPI_ERR_MANY_SEG if it has gaspi_segment_max; GASPI_ERR_NOINIT,
 * GASPI_ERR_NULLPTR.
 */
GASPI_API gaspi_return_t gaspi_segment_avail_local(gaspi_segment_id_t *avail_seg_id);
/** Returns a text for a code. The text stays valid, and must not be written to or released. Before gaspi_proc_init, too. */
GASPI_API gaspi_string_t gaspi_error_str(gaspi_return_t error_code);

/**
 * Prints as printf, after the caller's rank, in one piece, to standard output, which the launcher gathers. Before gaspi_proc_init without
 * the rank.
 */
GASPI_API void gaspi_printf(const char *format, ...);
/** The same; the launcher decides which node prints, and `rank` appears in the line. */
GASPI_API void gaspi_printf_to(gaspi_rank_t rank, const char *format, ...);
/** Prints the cores that the calling thread may run on, as gaspi_printf. */
GASPI_API void gaspi_print_affinity_mask(void);

/** Writes the name of the processor's kind, as uname has it, cut to 15 characters. GASPI_ERR_NULLPTR. Before gaspi_proc_init, too. */
GASPI_API gaspi_return_t gaspi_machine_type(char machine_type[16]);
/** Writes the frequency of a core in MHz. GASPI_ERROR where the system does not say; GASPI_ERR_NULLPTR. Before gaspi_proc_init, too. */
GASPI_API gaspi_return_t gaspi_cpu_frequency(gaspi_float *cpu_mhz);
/**
 * Writes the NUMA node that the calling thread runs on. GASPI_ERROR where the system does not say; GASPI_ERR_NULLPTR. Before
 * gaspi_proc_init, too.
 */
GASPI_API gaspi_return_t gaspi_numa_socket(gaspi_uchar *socket);
/** Lets the calling thread run on the cores of a NUMA node alone. GASPI_ERROR if there is no such node. Before gaspi_proc_init, too. */
GASPI_API gaspi_return_t gaspi_set_socket_affinity(gaspi_uchar socket);

#ifdef __cplusplus
}
#endif
#endif
