/* HIP's names for what the stand-in has: with HALOCLINE_STAND_IN_HIP it takes the place of libamdhip64.so.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_TESTS_DEVICE_HIP_NAMES_H
#define HALOCLINE_TESTS_DEVICE_HIP_NAMES_H

#define cuCtxGetCurrent hipCtxGetCurrent
#define cuCtxPopCurrent_v2 hipCtxPopCurrent
#define cuCtxPushCurrent_v2 hipCtxPushCurrent
#define cuCtxSetCurrent hipCtxSetCurrent
#define cuDeviceGet hipDeviceGet
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGetName hipDeviceGetName
#define cuDevicePrimaryCtxRelease_v2 hipDevicePrimaryCtxRelease
#define cuDevicePrimaryCtxRetain hipDevicePrimaryCtxRetain
#define cuEventCreate hipEventCreateWithFlags
#define cuEventDestroy_v2 hipEventDestroy
#define cuEventRecord hipEventRecord
#define cuGetErrorName hipDrvGetErrorName
#define cuInit hipInit
#define cuIpcCloseMemHandle hipIpcCloseMemHandle
#define cuIpcGetMemHandle hipIpcGetMemHandle
#define cuIpcOpenMemHandle_v2 hipIpcOpenMemHandle
#define cuMemAllocAsync hipMallocAsync
#define cuMemAlloc_v2 hipMalloc
#define cuMemFreeHost hipHostFree
#define cuMemFree_v2 hipFree
#define cuMemHostAlloc hipHostMalloc
#define cuMemcpy3DAsync_v2 hipDrvMemcpy3DAsync
#define cuMemcpyDtoH_v2 hipMemcpyDtoH
#define cuMemcpyHtoD_v2 hipMemcpyHtoD
#define cuMemsetD8_v2 hipMemsetD8
#define cuPointerGetAttributes hipDrvPointerGetAttributes
#define cuStreamCreate hipStreamCreateWithFlags
#define cuStreamDestroy_v2 hipStreamDestroy
#define cuStreamSynchronize hipStreamSynchronize
#define cuStreamWaitEvent hipStreamWaitEvent

#endif
