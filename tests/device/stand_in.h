/* A stand-in for CUDA's driver, which answers for the addresses that a test names. Its answers are those that the driver of an H200 gave
 * (docs/results/gpu-2026-11-29.txt); for managed memory, those of its documentation.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_TESTS_DEVICE_STAND_IN_H
#define HALOCLINE_TESTS_DEVICE_STAND_IN_H
#include <stddef.h>

/* What cuMemAlloc, cuMemAllocManaged and cuMemHostAlloc give. */
enum stand_in_kind { STAND_IN_DEVICE, STAND_IN_MANAGED, STAND_IN_PINNED };

/* Names memory; the test has it, and releases it. */
void stand_in_cuda_name(const void *data, size_t bytes, enum stand_in_kind kind, int ordinal);
void stand_in_cuda_forget(void);
/* How often the driver has been asked about an address. */
long stand_in_cuda_asked(void);

/* As the driver's: until it is called, every other function returns CUDA_ERROR_NOT_INITIALIZED. */
int cuInit(unsigned flags);

#endif
