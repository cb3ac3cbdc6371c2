// The fast path of every access: symmetric memory of a PE of this node as an address in this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline::core::shmem {

/// Where the internal memory and the symmetric heap of the PEs of this node are. Written by shmem_init and shmem_finalize alone; outside of
/// these two all is 0, and nothing is found. Where the PEs of a node are not consecutive, `members` is 0, and place.hpp finds them.
struct Near {
  std::uintptr_t begin;  // of this PE's, and their number of bytes, the same on all PEs
  std::size_t bytes;
  char *parts;  // those of the first PE of the node
  std::size_t stride;  // from those of a PE to those of the next
  unsigned first, members;  // the PEs of the node
  bool has_others;  // there are other nodes
};

[[gnu::visibility("hidden")]] extern constinit Near near;

/// The address of a symmetric object of a PE of the world; null unless the object is in the internal memory or the heap, and the PE on this
/// node.
inline char *near_place(const void *symmetric, std::size_t bytes, int pe) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(symmetric) - near.begin;
  const unsigned member = static_cast<unsigned>(pe) - near.first;
  if (bytes > near.bytes || offset > near.bytes - bytes || member >= near.members) return nullptr;
  return near.parts + member * near.stride + offset;
}

/// The same for one element, in an instruction less: `near.bytes` is 0, and `near.members` too, or more than any element has.
template <std::size_t bytes>
inline char *near_element(const void *symmetric, int pe) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(symmetric) - near.begin;
  const unsigned member = static_cast<unsigned>(pe) - near.first;
  if (offset > near.bytes - bytes || member >= near.members) return nullptr;
  return near.parts + member * near.stride + offset;
}

/// Ends the job, with the message of need_job, outside of shmem_init and shmem_finalize. For calls that would do nothing then.
[[gnu::cold]] void stop_unless_open(const char *call);
inline void need_open(const char *call) {
  if (near.bytes == 0) [[unlikely]]
    stop_unless_open(call);
}

/// Drives progress of the network now and then.
void drive_network();

/// To be called where programs look again and again at what other PEs write, so that PEs of other nodes are served meanwhile.
inline void poll_sometimes() {
  if (near.has_others) [[unlikely]]
    drive_network();
}

}  // namespace halocline::core::shmem
