/* Notified access to MPI windows: a put, get or accumulate that also notifies its target, and waits for such notifications. The drop-in for MPI
   RMA has these functions (docs/mpi.md). A program that calls them is linked with libhalocline_mpi, before its MPI; or with libhalocline_mpix,
   and started with the drop-in, as by `halocline-run --mpi`. libhalocline_mpix itself only answers MPI_ERR_UNSUPPORTED_OPERATION, and says
   what to load. Windows that the host MPI carries have no notifications; there each call fails and says so. Names and arguments follow the
   MPI Forum's proposal and Notified Access, with MPIX_ before them (docs/design/052-notified-windows.md). The functions that end in _c take
   large counts.

   A window has `num` notifications, numbered from 0, once all its ranks have called MPIX_Win_set_num_notify. Each of them is, on each rank, a
   counter per origin, and one value. A notified call counts at its target, or stores a value there, when its own access has been made: a
   rank that has seen the notification of a put or an accumulate reads its data by plain loads, and one that has seen that of a get may
   overwrite the bytes. Nothing else is ordered by it. An origin orders other accesses before it by a flush.

   The origin needs an access epoch for the target, as for MPI_Put, and completes its own buffers as for MPI_Put: flush, unlock, fence or
   MPI_Win_complete. The target needs no epoch. Waits have no time limit; they fail if a process of the window has ended. Calls
   return an MPI error code through the window's error handler. Any thread may call them; two threads do not use one request at the same
   time. HALOCLINE_CHECK=1 does not look at notified accesses.

   SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALOCLINE_MPIX_H
#define HALOCLINE_MPIX_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A notification request: what it matches, and how many notifications it waits for. */
typedef struct MPIX_Notify_state *MPIX_Notify;

/** No request; MPIX_Notify_free sets it. */
#if defined __cplusplus && __cplusplus >= 201103L
#define MPIX_NOTIFY_NULL nullptr
#else
#define MPIX_NOTIFY_NULL ((MPIX_Notify)0)
#endif

/** Gives a window `num` notifications, all of them counted and set to 0; 0 takes them away. Collective, with the same `num` on all ranks of the
    window, outside all epochs and without requests of the window. Returns when all ranks have called it. The memory is
    num * (ranks + 1) * 8 bytes per rank. `info` may be MPI_INFO_NULL; no key is known. */
int MPIX_Win_set_num_notify(MPI_Win win, MPI_Info info, int num);

/** How many notifications the window has: 0 before MPIX_Win_set_num_notify. They are the same on all ranks. */
int MPIX_Win_get_num_notify(MPI_Win win, int *num);

/** As MPI_Put; the target counts one arrival of `notification` from this rank when it has the data. Up to 2 KiB of contiguous data go to another
    node in one message with the notification. */
int MPIX_Put_notify(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                    int notification, MPI_Win win);
/** The same for large counts. */
int MPIX_Put_notify_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                      MPI_Datatype type, int notification, MPI_Win win);

/** As MPI_Get; the target counts one arrival of `notification` from this rank when its data have been read. From another node the call waits
    for the data. */
int MPIX_Get_notify(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                    int notification, MPI_Win win);
/** The same for large counts. */
int MPIX_Get_notify_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                      MPI_Datatype type, int notification, MPI_Win win);

/** As MPI_Accumulate; the target counts one arrival of `notification` from this rank when its data have been changed. */
int MPIX_Accumulate_notify(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                           MPI_Datatype type, MPI_Op op, int notification, MPI_Win win);
/** The same for large counts. */
int MPIX_Accumulate_notify_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, int notification, MPI_Win win);

/** As MPIX_Put_notify, but the value of `notification` at the target becomes `value`, which is not 0. A value that has not been reset is
    overwritten. */
int MPIX_Put_notify_value(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                          MPI_Datatype type, int notification, int value, MPI_Win win);
/** The same for large counts. */
int MPIX_Put_notify_value_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                            MPI_Datatype type, int notification, int value, MPI_Win win);

/** How many arrivals of `notification` this rank has counted from all ranks since MPIX_Win_set_num_notify, matched by requests or not. Does not
    wait. */
int MPIX_Win_get_notify_value(MPI_Win win, int notification, MPI_Count *value);

/** Makes an inactive request for `count` arrivals at this rank, `count` 1 or more. It matches those of `source`, or of all ranks with
    MPI_ANY_SOURCE, under `notification`, or under all with MPI_ANY_TAG. With MPI_PROC_NULL as the source it has its arrivals as soon as it is
    started, and the status has MPI_PROC_NULL and MPI_ANY_TAG, as for a receive. Local. */
int MPIX_Win_notify_init(int source, int notification, int count, MPI_Win win, MPIX_Notify *request);

/** Activates a request. Earlier arrivals that no request has matched count, too. An arrival is matched once: where two active requests
    match it, by the one that is tested or waited for first. */
int MPIX_Notify_start(MPIX_Notify request);

/** Matches what has arrived. `flag` is 1 if the request has all its arrivals, and it is inactive from then on; or if it was inactive. `status`
    then has source and notification (MPI_TAG) of the last one, or MPI_ANY_SOURCE and MPI_ANY_TAG of an inactive request. It may be
    MPI_STATUS_IGNORE. */
int MPIX_Notify_test(MPIX_Notify request, int *flag, MPI_Status *status);

/** Waits until MPIX_Notify_test would set its flag. */
int MPIX_Notify_wait(MPIX_Notify request, MPI_Status *status);

/** Frees a request, active or not. What it has matched stays matched. All requests are to be freed before their window is. */
int MPIX_Notify_free(MPIX_Notify *request);

/** Waits until the value of a notification from `first` to `first + count - 1` is set on this rank, and names it. It stays set. */
int MPIX_Win_notify_waitsome(MPI_Win win, int first, int count, int *notification);

/** The same without waiting: `flag` is 0 if none is set. */
int MPIX_Win_notify_testsome(MPI_Win win, int first, int count, int *flag, int *notification);

/** Takes the value of a notification of this rank: `value` is what it was, or 0 if it was not set; it is 0 from then on. */
int MPIX_Win_notify_reset(MPI_Win win, int notification, int *value);

#ifdef __cplusplus
}
#endif

#endif
