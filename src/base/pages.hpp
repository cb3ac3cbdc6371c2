// Pages of memory that has just been made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace halocline::core {

/// Lets the kernel provide the pages of shared memory now, so that a full /dev/shm is an error here and no signal later. Changes no byte. `memory`
/// begins a page. Returns an errno or 0; kernels before Linux 5.14 cannot do it, and return 0.
inline int reserve_pages(void *memory, std::int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  if (bytes > 0 && madvise(memory, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) != 0 && errno != EINVAL)
    return errno == EFAULT ? ENOSPC : errno;
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
  return 0;
}

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

/// Lets the pages of [memory, memory + bytes), which begins a page, be placed in the memory of this core, also if another one touches them first. Changes
/// nothing where the user has asked for another placement (numactl), nor where the kernel does not permit it.
inline void place_pages_here(void *memory, std::int64_t bytes) {
#if defined SYS_mbind && defined SYS_get_mempolicy && defined SYS_getcpu
  constexpr int kNoPolicy = 0, kPreferred = 1;
  constexpr unsigned kNodes = 1024;
  unsigned long nodes[kNodes / (8 * sizeof(unsigned long))] = {};
  unsigned node = 0;
  int policy = kNoPolicy;
  if (syscall(SYS_getcpu, nullptr, &node, nullptr) != 0 || node >= kNodes) return;
  if (syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, nullptr, 0UL) != 0 || policy != kNoPolicy) return;
  nodes[node / (8 * sizeof(unsigned long))] = 1UL << node % (8 * sizeof(unsigned long));
  static_cast<void>(
      syscall(SYS_mbind, memory, static_cast<unsigned long>(bytes), kPreferred, nodes, static_cast<unsigned long>(kNodes), 0U));
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

/// Bytes of a huge page. Processors with pages of 4 KiB have such; others have far larger ones, which no field fills.
inline constexpr std::int64_t kHugePage = std::int64_t{2} << 20;

/// Makes huge pages of shared memory in [memory, memory + bytes), which is new, from its first to its last whole one. Takes their memory.
/// Changes no byte. Linux from 6.1 on can; where it cannot, or has no piece that is large enough, the pages stay as they are.
inline void join_pages(char *memory, std::int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
#ifdef MADV_COLLAPSE
  constexpr int kJoin = MADV_COLLAPSE;
#else
  constexpr int kJoin = 25;  // headers before glibc 2.37 lack the name
#endif
  if (sysconf(_SC_PAGESIZE) != 4096) return;
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) % kHugePage);
  char *const first = past == 0 ? memory : memory + (kHugePage - past);
  // Joining a range needs one page of it. Each is joined alone: the first that cannot be ends it.
  for (char *huge = first; huge + kHugePage <= memory + bytes; huge += kHugePage)
    if (madvise(huge, 1, MADV_POPULATE_WRITE) != 0 || madvise(huge, kHugePage, kJoin) != 0) return;
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

}  // namespace halocline::core
