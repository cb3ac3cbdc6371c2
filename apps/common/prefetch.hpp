// Requests for cache lines.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace common {

/// Requests the cache line of an address for reading.
inline void fetch_to_read(const void *line) { __builtin_prefetch(line); }

/// Requests it for writing: no other core keeps it. Processors without this instruction ignore it.
inline void fetch_to_write(const void *line) {
#if defined(__x86_64__)
  // Without a target option __builtin_prefetch would fetch the line for reading.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char *>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace common
