/*
 * The messages of ARMCI. Processes are numbered as in the world group. A scope is all processes, those of this node, or the first of each
 * node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_ARMCI_MESSAGE_H
#define HALOCLINE_ARMCI_MESSAGE_H

#include "armci.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };
enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

/** The number of this process. */
int armci_msg_me(void);
/** The number of processes. */
int armci_msg_nproc(void);
/** Ends all processes with the code, as ARMCI_Error. */
void armci_msg_abort(int code);
/** Starts MPI unless the program has. */
void armci_msg_init(int *argc, char ***argv);
/** Ends MPI. */
void armci_msg_finalize(void);
/** The communicator of a group. It is ARMCI's: for messages of the program duplicate it. */
MPI_Comm armci_group_comm(ARMCI_Group *group);
/** Seconds of a clock. */
double armci_timer(void);

/** Sends bytes to a process. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
/** *msglen becomes the length of the message; msglen may be NULL. */
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
/** Returns the sender. */
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/** A barrier of all processes, without a fence. */
void armci_msg_barrier(void);
/** A barrier of the members of a group, without a fence. */
void armci_msg_group_barrier(ARMCI_Group *group);
/** This process's place in a binary tree of the processes of a scope; -1: none. */
void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right);
/** Broadcasts bytes from a process to all. */
void armci_msg_bcast(void *buffer, int len, int root);
/** The same. */
void armci_msg_brdcst(void *buffer, int len, int root);
/** Broadcasts them to the processes of a scope, of which root is one. */
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
/** root is a process of the world group. */
void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);

/** All get the n bytes of the process whose first number is the least (op "min") or the greatest ("max") of those that contribute. */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
/** The same among the processes of a scope. */
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);

/** The first process of the scope gets the result. op as below. */
void armci_msg_reduce(void *x, int n, char *op, int type);
/** The same among the processes of a scope. */
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);

/** All get the result. op: "+", "*", "max", "min", "absmax", "absmin"; of integers also "or", "bor" or "|", "band" or "&", "lor" or "||",
 * "land" or "&&". */
void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
/** The same for numbers of type int, of all processes. */
void armci_msg_igop(int *x, int n, char *op);
/** The same for numbers of type long, of all processes. */
void armci_msg_lgop(long *x, int n, char *op);
/** The same for numbers of type long long, of all processes. */
void armci_msg_llgop(long long *x, int n, char *op);
/** The same for numbers of type float, of all processes. */
void armci_msg_fgop(float *x, int n, char *op);
/** The same for numbers of type double, of all processes. */
void armci_msg_dgop(double *x, int n, char *op);
/** The same among the members of a group that are in a scope. */
void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
/** The same for numbers of type int, of a group. */
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
/** The same for numbers of type long, of a group. */
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
/** The same for numbers of type long long, of a group. */
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
/** The same for numbers of type float, of a group. */
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
/** The same for numbers of type double, of a group. */
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);

/** The same among the processes of this node. */
void armci_msg_clus_brdcst(void *buf, int len);
/** The same for numbers of type int, of this node. */
void armci_msg_clus_igop(int *x, int n, char *op);
/** The same for numbers of type long, of this node. */
void armci_msg_clus_lgop(long *x, int n, char *op);
/** The same for numbers of type long long, of this node. */
void armci_msg_clus_llgop(long long *x, int n, char *op);
/** The same for numbers of type float, of this node. */
void armci_msg_clus_fgop(float *x, int n, char *op);
/** The same for numbers of type double, of this node. */
void armci_msg_clus_dgop(double *x, int n, char *op);
/** A broadcast from the rank grp_master of a group to the grp_clus_nproc ranks that begin with it. */
void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc, ARMCI_Group *mastergroup);

/** The bits of n addresses are combined by or: each process sets those that it knows, and has NULL in place of the others. */
void armci_exchange_address(void *ptr_ar[], int n);
/** The same among the members of a group. */
void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
