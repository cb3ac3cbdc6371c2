/* A stand-in for CUDA's driver: libcuda.so.1 of the tests. Compiled with HALOCLINE_STAND_IN_HIP it is HIP's library, libamdhip64.so.6, under whose
 * names it does the same, but for what ROCm's sources say of addresses that they do not know, of the layout of copies, and of contexts: a pop
 * leaves the device that the push has made current.
 * Its answers are those that the driver of an H200 gave
 * (docs/results/gpu-2026-11-29.txt), or those of its documentation.
 *
 * Memory of a device is a file in memory that the host has mapped without access, so that a load or a store ends the process; copies go
 * through a second mapping. Streams have a thread each, which makes copies in order, late by a random time. A call that the documentation
 * does not allow in that state is refused, and counted, with a line that says which rule it breaks. When the process ends, what was not
 * released is listed, and the process ends with status 70; so it does after a broken rule.
 *
 * An allocation of cuMemAlloc has a handle, by which other processes open it; its file has a page more, where they count themselves. They may
 * open it once, in one context for each device that they read, and must close it before it is freed.
 *
 * STAND_IN_CUDA_LATE=US: copies are up to so many microseconds late (300). STAND_IN_CUDA_FAIL=N[:CODE]: the Nth call fails (code 719); with a code
 * of 700 or more all calls after it do, as after a kernel that crashed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_TESTS_DEVICE_STAND_IN_H
#define HALOCLINE_TESTS_DEVICE_STAND_IN_H
#include <stddef.h>

#ifdef HALOCLINE_STAND_IN_HIP
#include "device/hip_names.h"
#endif

/* What cuMemAlloc, cuMemAllocManaged and cuMemHostAlloc give. */
enum stand_in_kind { STAND_IN_DEVICE, STAND_IN_MANAGED, STAND_IN_PINNED };

/* Names memory; the test has it, and releases it. forget: all that was named. */
void stand_in_cuda_name(const void *data, size_t bytes, enum stand_in_kind kind, int ordinal);
void stand_in_cuda_forget(void);
/* How often the driver has been asked about an address. */
long stand_in_cuda_asked(void);

/* Calls so far that may fail. */
long stand_in_cuda_calls(void);
/* Of the calls from now on the Nth fails with this code, as STAND_IN_CUDA_FAIL says. 0: none, and what has crashed works again. */
void stand_in_cuda_fail(long n, int code);
/* Whether that call has been made. */
int stand_in_cuda_failed(void);
/* Rules broken so far; the last one in words. */
long stand_in_cuda_broken(void);
const char *stand_in_cuda_rule(void);
/* After a test that breaks rules on purpose. */
void stand_in_cuda_forgive(void);
/* What IPC is like from now on: as it is; no memory has a handle; no handle of another process can be opened. */
enum stand_in_ipc { STAND_IN_IPC, STAND_IN_IPC_NOT_GIVEN, STAND_IN_IPC_NOT_OPENED };
void stand_in_cuda_ipc(enum stand_in_ipc ipc);
/* Copies inside device memory so far, and those of them from memory of another process. */
long stand_in_cuda_inside(void);
long stand_in_cuda_read(void);
/* Allocations, those of other processes that are open, streams, events, and retained contexts that are there now. */
long stand_in_cuda_live(void);

typedef unsigned long long CUdeviceptr;
typedef struct stand_in_context *CUcontext;
typedef struct stand_in_stream *CUstream;
typedef struct stand_in_event *CUevent;
typedef struct CUipcMemHandle {
  char reserved[64];
} CUipcMemHandle;
typedef struct stand_in_half {
  size_t x, y, z, level;
  unsigned type;
  void *host;
  CUdeviceptr device;
  void *array;
#ifndef HALOCLINE_STAND_IN_HIP
  void *reserved;
#endif
  size_t pitch, height;
} stand_in_half;
typedef struct CUDA_MEMCPY3D {
  stand_in_half from, to;
  size_t width, height, depth;
} CUDA_MEMCPY3D;

/* As the driver's: until cuInit is called, every other function returns CUDA_ERROR_NOT_INITIALIZED. Devices are 0 to 7. */
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int length, int device);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxGetCurrent(CUcontext *context);
int cuCtxSetCurrent(CUcontext context);
int cuCtxPushCurrent_v2(CUcontext context);
int cuCtxPopCurrent_v2(CUcontext *context);
int cuStreamCreate(CUstream *stream, unsigned flags);
int cuStreamDestroy_v2(CUstream stream);
int cuStreamSynchronize(CUstream stream);
int cuEventCreate(CUevent *event, unsigned flags);
int cuEventDestroy_v2(CUevent event);
int cuEventRecord(CUevent event, CUstream stream);
int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
int cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
/* Memory that belongs to no context. */
int cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
int cuMemFree_v2(CUdeviceptr address);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuMemFreeHost(void *memory);
int cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes);
int cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
int cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
int cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address);
int cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags);
int cuIpcCloseMemHandle(CUdeviceptr address);
int cuGetErrorName(int error, const char **name);
int cuPointerGetAttributes(unsigned count, int *attributes, void **data, CUdeviceptr address);

#endif
