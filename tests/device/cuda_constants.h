/* Constants of cuda.h that the stand-in for the driver needs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_TESTS_DEVICE_CUDA_CONSTANTS_H
#define HALOCLINE_TESTS_DEVICE_CUDA_CONSTANTS_H

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

#endif
