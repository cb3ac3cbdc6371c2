/* Constants of cuda.h that the stand-in for the driver needs, and what it calls them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_TESTS_DEVICE_CUDA_CONSTANTS_H
#define HALOCLINE_TESTS_DEVICE_CUDA_CONSTANTS_H
#include <stddef.h>

/* CUresult. */
enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_CONTEXT = 201,
  MAP_FAILED_HERE = 205,
  ALREADY_MAPPED = 208,
  INVALID_HANDLE = 400,
  CRASHED = 700,
  LAUNCH_FAILED = 719
};
/* CUpointer_attribute and CUmemorytype. */
enum { CONTEXT = 1, MEMORY_TYPE = 2, HOST_POINTER = 4, DEVICE_ORDINAL = 9, IPC_CAPABLE = 10, RANGE_START = 11, RANGE_SIZE = 12 };
enum { HOST = 1, DEVICE = 2 };

/* A handle: where the allocation's file is. */
struct handle {
  int process, file, device;
  long serial;
  size_t bytes; /* without the last page */
};

#ifdef HALOCLINE_STAND_IN_HIP
enum { IS_HIP = 1 };
#define NAMED(cuda, hip) hip
#else
enum { IS_HIP = 0 };
#define NAMED(cuda, hip) cuda
#endif

static const char *name_of_error(int error) {
  switch (error) {
    case SUCCESS: return NAMED("CUDA_SUCCESS", "hipSuccess");
    case INVALID_VALUE: return NAMED("CUDA_ERROR_INVALID_VALUE", "hipErrorInvalidValue");
    case OUT_OF_MEMORY: return NAMED("CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory");
    case NOT_INITIALIZED: return NAMED("CUDA_ERROR_NOT_INITIALIZED", "hipErrorNotInitialized");
    case INVALID_CONTEXT: return NAMED("CUDA_ERROR_INVALID_CONTEXT", "hipErrorInvalidContext");
    case MAP_FAILED_HERE: return NAMED("CUDA_ERROR_MAP_FAILED", "hipErrorMapFailed");
    case ALREADY_MAPPED: return NAMED("CUDA_ERROR_ALREADY_MAPPED", "hipErrorAlreadyMapped");
    case INVALID_HANDLE: return NAMED("CUDA_ERROR_INVALID_HANDLE", "hipErrorInvalidHandle");
    case CRASHED: return NAMED("CUDA_ERROR_ILLEGAL_ADDRESS", "hipErrorIllegalAddress");
    case LAUNCH_FAILED: return NAMED("CUDA_ERROR_LAUNCH_FAILED", "hipErrorLaunchFailure");
    default: return NULL;
  }
}

#endif
