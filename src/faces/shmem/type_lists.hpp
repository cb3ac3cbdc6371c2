// The types of OpenSHMEM's families of functions, for sources that define a function for each: X(NAME, TYPE). The tables of
// scripts/shmem_interface.py, from which the headers are written, are the same.
//
// A name such as shmem_int_put stands written out in include/halocline/shmem; the sources say it as shmem_##NAME##_put.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/shmem/interface.hpp"

// clang-format off

/// Sizes in bits, X(BITS, BYTES): put8 to put128.
#define HLC_SHMEM_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

#define HLC_SHMEM_FIXED_TYPES(X) \
  X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) \
  X(uint64, uint64_t) X(size, size_t)

/// Remote memory access, collective copies, reductions by max and min.
#define HLC_SHMEM_RMA_TYPES(X) \
  X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) X(short, short) X(int, int) \
  X(long, long) X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long) \
  X(ulonglong, unsigned long long) HLC_SHMEM_FIXED_TYPES(X) X(ptrdiff, ptrdiff_t)

/// Atomics on bits.
#define HLC_SHMEM_BITWISE_AMO_TYPES(X) \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) \
  X(uint32, uint32_t) X(uint64, uint64_t)

/// All other atomics.
#define HLC_SHMEM_AMO_TYPES(X) \
  X(int, int) X(long, long) X(longlong, long long) X(size, size_t) X(ptrdiff, ptrdiff_t) HLC_SHMEM_BITWISE_AMO_TYPES(X)

/// Fetch, set and swap.
#define HLC_SHMEM_EXTENDED_AMO_TYPES(X) X(float, float) X(double, double) HLC_SHMEM_AMO_TYPES(X)

/// wait_until and test.
#define HLC_SHMEM_WAIT_TYPES(X) X(short, short) X(ushort, unsigned short) HLC_SHMEM_AMO_TYPES(X)

/// Reductions by and, or, xor.
#define HLC_SHMEM_REDUCE_BITS_TYPES(X) \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) \
  HLC_SHMEM_FIXED_TYPES(X)

#define HLC_SHMEM_COMPLEX_TYPES(X) X(complexf, std::complex<float>) X(complexd, std::complex<double>)

/// Reductions by sum and product.
#define HLC_SHMEM_REDUCE_NUMBERS_TYPES(X) HLC_SHMEM_RMA_TYPES(X) HLC_SHMEM_COMPLEX_TYPES(X)

/// Of deprecated functions: atomics, those that move a value only, waits, reductions of active sets.
#define HLC_SHMEM_OLD_AMO_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define HLC_SHMEM_OLD_EXTENDED_AMO_TYPES(X) X(float, float) X(double, double) HLC_SHMEM_OLD_AMO_TYPES(X)
#define HLC_SHMEM_OLD_BITS_TYPES(X) X(short, short) HLC_SHMEM_OLD_AMO_TYPES(X)
#define HLC_SHMEM_OLD_WAIT_TYPES(X) HLC_SHMEM_OLD_BITS_TYPES(X)
#define HLC_SHMEM_OLD_ORDER_TYPES(X) HLC_SHMEM_OLD_BITS_TYPES(X) X(float, float) X(double, double) X(longdouble, long double)
#define HLC_SHMEM_OLD_NUMBERS_TYPES(X) HLC_SHMEM_OLD_ORDER_TYPES(X) HLC_SHMEM_COMPLEX_TYPES(X)

// clang-format on
