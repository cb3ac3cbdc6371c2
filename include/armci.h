/*
 * ARMCI, the Aggregate Remote Memory Copy Interface, as Global Arrays 5.8 and ARMCI-MPI 0.3 offer it. A program or library that was compiled
 * with the header of ARMCI-MPI 0.3 can be linked with libhalocline_armci as it is: types and constants are the same. docs/guide/armci.md
 * says what each family of functions does here, and what differs.
 *
 * Process numbers (proc, target) are those of the world group. Functions that return int return 0, or one of FAIL to FAIL8 for a wrong
 * argument, with a message on stderr: FAIL2 for a remote address that is not memory of that process which ARMCI_Malloc has returned. ARMCI_Free
 * then returns FAIL on all processes. All other failures end all processes with one message, and so do wrong arguments of functions that return
 * no code, ARMCI_GetValueInt and its relatives among them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_ARMCI_H
#define HALOCLINE_ARMCI_H

#include <mpi.h>
#include <stddef.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** Bytes. */
typedef long armci_size_t;
#define ARMCII_MPI_SIZE_T MPI_LONG
/** Defined as in the header of ARMCI-MPI, whose types and constants these are. */
#define ARMCI_MPI 3

#define FAIL (-1)
#define FAIL2 (-2)
#define FAIL3 (-3)
#define FAIL4 (-4)
#define FAIL5 (-5)
#define FAIL6 (-6)
#define FAIL7 (-7)
#define FAIL8 (-8)

/** Levels of strides that one operation may have. */
#define ARMCI_MAX_STRIDE_LEVEL 8

/* ---------------------------------------------------------------- begin, end, errors */

/** Collective. Starts MPI unless the program has. Calls are counted: as many calls of ARMCI_Finalize end ARMCI. */
int ARMCI_Init(void);
/** As ARMCI_Init; the arguments are left as they are. */
int ARMCI_Init_args(int *argc, char ***argv);
/** Fails if MPI does not provide the thread level. */
int ARMCI_Init_thread(int armci_requested);
/** The processes are those of a communicator. All of them call it. */
int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
/** The same without a thread level. */
int ARMCI_Init_mpi_comm(MPI_Comm comm);
/** 1 between ARMCI_Init and ARMCI_Finalize, else 0. */
int ARMCI_Initialized(void);
/** Collective. Frees what is allocated. Ends MPI if ARMCI_Init has started it. */
int ARMCI_Finalize(void);
/** To be called before a process ends after an error. Nothing needs to be done here: the system releases all memory with its process. */
void ARMCI_Cleanup(void);
/** Prints the message and ends all processes. */
void ARMCI_Error(const char *msg, int code);

/** Prints what a failed assertion has to say. Called by the macros below. */
void armci_assertion_print(const char *format, ...);
/** Ends all processes and names the condition and its place. Called by the macros below. */
void armci_assertion_failed(const char *condition, const char *file, const char *function, int line, int code);

#ifndef dassertc
/** An assertion of Global Arrays' own ARMCI: if `enable` is not 0 and the condition is false, `values`, which are the arguments of printf in
 * parentheses, are printed, and all processes end with the code. */
#define dassertc(enable, condition, values, code)                             \
  do {                                                                        \
    if ((enable) && !(condition)) {                                           \
      armci_assertion_print values;                                           \
      armci_assertion_failed(#condition, __FILE__, __func__, __LINE__, code); \
    }                                                                         \
  } while (0)
/** The same with code 1. */
#define dassertp(enable, condition, values) dassertc(enable, condition, values, 1)
/** The same without values. */
#define dassert(enable, condition) dassertp(enable, condition, ("%s", ""))
/** The same with one number. */
#define dassert1(enable, condition, value) dassertp(enable, condition, ("%d: error ival=%d\n", armci_msg_me(), (int)(value)))
/** Ends all processes with a message and a code. */
#define armci_die(message, code) dassertc(1, 0, ("%d:%s: %d\n", armci_msg_me(), (message), (code)), code)
/** The same with another number. */
#define armci_die2(message, code, other) dassertc(1, 0, ("%d:%s: (%d,%d)\n", armci_msg_me(), (message), (code), (other)), code)
#endif

/* ---------------------------------------------------------------- memory */

/** Collective. ptr_arr gets each process's memory, NULL where that has 0 bytes. Memory of this node may be read and written directly. */
int ARMCI_Malloc(void **ptr_arr, armci_size_t bytes);
/** Collective. Each process passes its own memory of the allocation, NULL if that has 0 bytes. */
int ARMCI_Free(void *ptr);
/** Memory for local buffers. */
void *ARMCI_Malloc_local(armci_size_t bytes);
/** Frees it. */
int ARMCI_Free_local(void *ptr);
/** As ARMCI_Malloc; the device is ignored: the memory is the host's. */
int ARMCI_Malloc_memdev(void **ptr_arr, armci_size_t bytes, const char *device);
/** As ARMCI_Free. */
int ARMCI_Free_memdev(void *ptr);

/** Memory that one process allocates alone, and others attach. */
typedef struct armci_meminfo_ds {
  char *armci_addr; /**< its address for ARMCI functions */
  char *addr; /**< its address in the process that has allocated it */
  size_t size; /**< bytes */
  int cpid; /**< the process that has allocated it */
  long idlist[128]; /**< how others attach it */
} armci_meminfo_t;

/** Allocates. *meminfo can be sent to other processes. memflg is ignored. */
void ARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
/** Attaches, and returns the address plus offset. On another node than its owner's the address is for ARMCI functions alone. */
void *ARMCI_Memat(armci_meminfo_t *meminfo, long offset);
/** Detaches. */
void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset);
/** Frees, once all others have detached. Called by the owner. */
void ARMCI_Memctl(armci_meminfo_t *meminfo);

/* ---------------------------------------------------------------- put, get, accumulate */

/** The types of accumulates begin behind it. */
#define ARMCI_ACC_OFF (-1)
enum ARMCI_Acc_e {
  ARMCI_ACC_INT,
  ARMCI_ACC_LNG,
  ARMCI_ACC_FLT,
  ARMCI_ACC_DBL,
  ARMCI_ACC_CPL, /**< complex of two floats */
  ARMCI_ACC_DCP /**< complex of two doubles */
};

/** Copies local bytes to proc. A blocking call returns when its local memory may be reused. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc);
/** The same as ARMCI_Put. */
#define ARMCI_Put1(src, dst, bytes, proc) ARMCI_Put(src, dst, bytes, proc)
/** Copies bytes of proc to local memory. */
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
/** dst += *scale * src, each element atomically with respect to other accumulates. */
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);

/** A strided put: count[0] is a number of bytes, count[i] one of repetitions; stride_ar[i] is the distance in bytes between those of level i + 1. */
int ARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc);
/** A strided get. */
int ARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc);
/** A strided accumulate. */
int ARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);

/** A number of segments of the same size. */
typedef struct {
  void **src_ptr_array; /**< where each segment is read */
  void **dst_ptr_array; /**< where it is written */
  int bytes; /**< of each segment */
  int ptr_array_len; /**< segments */
} armci_giov_t;

/** Puts the segments of iov_len lists. */
int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
/** Gets them. */
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
/** Accumulates them. */
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);

/** A put, and *flag = value at the target once the data are there. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
/** The same, strided. */
int ARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                    int value, int proc);
/** The same as ARMCI_PutS_flag. */
int ARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                        int value, int proc);

/** Writes one number to proc. */
int ARMCI_PutValueInt(int src, void *dst, int proc);
/** Writes one number to proc. */
int ARMCI_PutValueLong(long src, void *dst, int proc);
/** Writes one number to proc. */
int ARMCI_PutValueFloat(float src, void *dst, int proc);
/** Writes one number to proc. */
int ARMCI_PutValueDouble(double src, void *dst, int proc);
/** Returns one number of proc. */
int ARMCI_GetValueInt(void *src, int proc);
/** Returns one number of proc. */
long ARMCI_GetValueLong(void *src, int proc);
/** Returns one number of proc. */
float ARMCI_GetValueFloat(void *src, int proc);
/** Returns one number of proc. */
double ARMCI_GetValueDouble(void *src, int proc);

/** A copy within this process. */
void ARMCI_Copy(void *src, void *dst, int size);
/** Before direct access to memory of ARMCI_Malloc. */
void ARMCI_Access_begin(void *ptr);
/** After direct access. */
void ARMCI_Access_end(void *ptr);
/** Packs strided memory into a buffer. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
/** Unpacks a buffer into strided memory. */
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);

/* ---------------------------------------------------------------- non-blocking forms */

/** Of ARMCI_INIT_HANDLE. NULL instead of a handle: ARMCI_WaitProc or ARMCI_WaitAll completes the operation. */
typedef struct armci_hdl_s {
  int target; /**< the process whose operations are not complete here */
  int aggregate; /**< 1 between ARMCI_SET_AGGREGATE_HANDLE and ARMCI_UNSET_AGGREGATE_HANDLE */
} armci_hdl_t;
#define armci_req_t armci_hdl_t

/** Begins the use of a handle. */
void ARMCI_INIT_HANDLE(armci_hdl_t *hdl);
/** The operations with this handle until it is waited for complete together. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
/** Ends that; ARMCI_Wait completes them. */
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);

/** Begins a put. */
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Begins a get. */
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Begins an accumulate. */
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
/** Begins a strided put. */
int ARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                 armci_hdl_t *hdl);
/** Begins a strided get. */
int ARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                 armci_hdl_t *hdl);
/** Begins a strided accumulate. */
int ARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                 int stride_levels, int proc, armci_hdl_t *hdl);
/** Begins the puts of lists of segments. */
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Begins the gets. */
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Begins the accumulates. */
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
/** Begins to write one number. */
int ARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl);
/** Begins to write one number. */
int ARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl);
/** Begins to write one number. */
int ARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl);
/** Begins to write one number. */
int ARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl);

/** Waits until local memory may be reused, and what a get reads is there. */
int ARMCI_Wait(armci_hdl_t *hdl);
/** 0 once ARMCI_Wait would not wait. */
int ARMCI_Test(armci_hdl_t *hdl);
/** Waits for all operations to proc. */
int ARMCI_WaitProc(int proc);
/** Waits for all operations. */
int ARMCI_WaitAll(void);

/* ---------------------------------------------------------------- ordering and synchronisation */

/** Waits until the target has all that this process has written there. */
void ARMCI_Fence(int proc);
/** The same for all targets. */
void ARMCI_AllFence(void);
/** ARMCI_AllFence and a barrier of all processes. */
void ARMCI_Barrier(void);

/** Increases a count at proc once it has all that this process has written there; returns the count. */
int armci_notify(int proc);
/** Waits for the next notification of proc; *pval becomes the count. */
int armci_notify_wait(int proc, int *pval);

enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

/** Atomic. ARMCI_FETCH_AND_ADD: *ploc = *prem, *prem += value. ARMCI_SWAP exchanges *ploc and *prem. */
int ARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);

/** Collective. Each process gets mutexes of its own, numbered from 0. */
int ARMCI_Create_mutexes(int count);
/** Collective. Frees them. */
int ARMCI_Destroy_mutexes(void);
/** Processes get a mutex in the order in which they ask for it. */
void ARMCI_Lock(int mutex, int proc);
/** What this process has written while it had the mutex is at its target first. */
void ARMCI_Unlock(int mutex, int proc);

/* ---------------------------------------------------------------- groups */

/** The members are those of the communicator. */
typedef struct {
  MPI_Comm comm; /**< MPI_COMM_NULL on processes that are no members */
  MPI_Comm noncoll_pgroup_comm; /**< unused */
  int *grp_to_abs; /**< the processes, by rank in the group */
  int *abs_to_grp; /**< the rank in the group, by process */
  int rank; /**< of this process; -1 if it is no member */
  int size; /**< members */
} ARMCI_Group;

/** Collective over the new group; others may call it. pid_list has ranks of the default group. */
void ARMCI_Group_create(int grp_size, int *pid_list, ARMCI_Group *group_out);
/** The same with ranks of a parent. */
void ARMCI_Group_create_child(int grp_size, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *group_parent);
/** Frees it. The world group stays. */
void ARMCI_Group_free(ARMCI_Group *group);
/** The rank of this process; returns 1 if it is no member. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
/** The number of members. */
void ARMCI_Group_size(ARMCI_Group *group, int *size);
/** Makes a group the default group of this process. */
void ARMCI_Group_set_default(ARMCI_Group *group);
/** The default group; at first the world group. */
void ARMCI_Group_get_default(ARMCI_Group *group_out);
/** The group of all processes. */
void ARMCI_Group_get_world(ARMCI_Group *group_out);
/** The process that has a rank in the group. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
/** ARMCI_Fence of all members. */
void ARMCI_GroupFence(ARMCI_Group *group);

/** As ARMCI_Malloc, collective over a group; ptr_arr is by rank in the group. */
int ARMCI_Malloc_group(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group);
/** As ARMCI_Free, collective over the group. */
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);
/** As ARMCI_Malloc_group; the device is ignored. */
int ARMCI_Malloc_group_memdev(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group, const char *device);

/* ---------------------------------------------------------------- locality */

enum armci_domain_e { ARMCI_DOMAIN_SMP };
typedef int armci_domain_t;

/** Processes of a node; id -1 is this process's node. */
int armci_domain_nprocs(armci_domain_t domain, int id);
/** The node of a process. */
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
/** The process that is number loc_proc_id of a node. */
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
/** The node of this process. */
int armci_domain_my_id(armci_domain_t domain);
/** The number of nodes. */
int armci_domain_count(armci_domain_t domain);
/** 1 if a process is on this node, else 0. */
int armci_domain_same_id(armci_domain_t domain, int proc);
/** 1 if a process is on this node, else 0. */
int ARMCI_Same_node(int proc);
/** 1 if a process is on this node, else 0. */
int armci_sameclusnode(int proc);

/** 1 if processes share a node, so that they may access each other's memory directly. */
int ARMCI_Uses_shm(void);
/** 1 if members of the group share a node. */
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
/** Has no effect: /dev/shm sets the limit. */
void ARMCI_Set_shm_limit(unsigned long shmemlimit);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#include "message.h"
#include "parmci.h"

#endif
