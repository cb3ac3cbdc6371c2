// Pages of memory that has just been made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace halocline::core {

/// Lets the kernel provide the pages of new memory now, so that the first swaps take no page faults. Changes no byte. Kernels before Linux
/// 5.14 cannot: there the first use takes the faults.
inline void provide_pages(void *memory, std::int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + static_cast<std::uintptr_t>(bytes);
  const std::uintptr_t first = begin / page * page;
  if (bytes > 0) static_cast<void>(madvise(static_cast<char *>(memory) - (begin - first), end - first, MADV_POPULATE_WRITE));
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

}  // namespace halocline::core
