/*
 * What this library adds to GASPI 17.1: segments that the ranks of a node share. Beside the address of each other's data they have one set of
 * notifications between them, so that any of them may wait for, test and reset what was sent to any of them.
 *
 * Source: Simmendinger et al., Interoperability strategies for GASPI and MPI in large-scale scientific applications, section 3.2.
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
 * An allocation policy of gaspi_segment_create, which may be combined with the others by |: the ranks of a node have one set of notifications
 * between them. A notification to any of them is set there. gaspi_notify_waitsome on any of them finds it, and of several gaspi_notify_reset one
 * gets the value, the others get 0. All ranks of the group call with it, or none, and have set the same notification_num: else GASPI_ERROR on all of them. gaspi_segment_alloc
 * does not know it (GASPI_ERROR): ranks that share have to meet. A notification from another node is seen when the rank it was sent to calls
 * the library, or by the thread or helper process of HALOCLINE_PROGRESS.
 */
#define GASPI_MEM_SHARED 2

/**
 * Writes where this process sees the segment of a rank of its node to *pointer; null for a rank of another node, and where another rank has
 * brought its memory (gaspi_segment_use, gaspi_segment_bind). The address is good until this rank deletes its segment of that id, or the job
 * ends; what the other rank does there after it has deleted its own is not seen any more. GASPI_ERR_INV_RANK,
 * GASPI_ERR_INV_SEG, GASPI_ERR_NULLPTR. Local after the first use. Any thread. Source: MPI_Win_shared_query.
 */
GASPI_API gaspi_return_t gaspi_segment_ptr_of(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_pointer_t *pointer);

#ifdef __cplusplus
}
#endif
#endif
