// The public interface as the sources of this face see it, and its second names. Each function is defined as pshmem_NAME, and shmem_NAME is
// a weak alias. A tool may replace the alias by a function of its own that counts and calls pshmem_NAME.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define SHMEM_NO_OVERLOADS
#include <pshmem.h>

// An alias need not be known not to throw, as some functions are.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif

/// To be used in the file that defines pshmem_NAME, inside extern "C".
#define HLC_SHMEM_ALIAS(name) decltype(pshmem_##name) shmem_##name __attribute__((weak, alias("pshmem_" #name)))
