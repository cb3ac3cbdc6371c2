/*
 * Extensions that ARMCI-MPI has beside ARMCI: groups from groups, and several sets of mutexes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_ARMCIX_H
#define HALOCLINE_ARMCIX_H

#include "armci.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** As MPI_Comm_split. Collective over the parent. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
/** As MPI_Comm_dup. Collective over the parent. */
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);

/** A set of mutexes. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;

/** Collective over the group. Processes are named by their rank in it. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup);
/** Collective over the group. Frees them. */
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
/** Waits for a mutex. */
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** 0 if this process has the mutex now, 1 if another has it. */
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
/** Gives it back. */
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/** Serves other processes. */
void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
