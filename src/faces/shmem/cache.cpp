// OpenSHMEM 1.5, cache management, deprecated: caches are coherent, and there is nothing to do.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/interface.hpp"

extern "C" {

void pshmem_set_cache_inv() {}
void pshmem_clear_cache_inv() {}
void pshmem_set_cache_line_inv(void *) {}
void pshmem_clear_cache_line_inv(void *) {}
void pshmem_udcflush() {}
void pshmem_udcflush_line(void *) {}

HLC_SHMEM_ALIAS(set_cache_inv);
HLC_SHMEM_ALIAS(clear_cache_inv);
HLC_SHMEM_ALIAS(set_cache_line_inv);
HLC_SHMEM_ALIAS(clear_cache_line_inv);
HLC_SHMEM_ALIAS(udcflush);
HLC_SHMEM_ALIAS(udcflush_line);

}  // extern "C"
