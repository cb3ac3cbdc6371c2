// Every symmetric object of every PE, for what near.hpp does not find: static data, PEs of other nodes, and wrong arguments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/operations.hpp"
#include "faces/shmem/failure.hpp"
#include "faces/shmem/job.hpp"
#include "faces/shmem/near.hpp"

namespace halocline::core::shmem {

/// Bytes that a call names by an argument.
struct Symmetric {
  const void *address = nullptr;
  std::size_t bytes = 0;
  const char *argument = "";  // its name
};

[[noreturn, gnu::cold]] void stop_for_null(const char *call, const char *argument);

/// The offset of symmetric bytes in the part of each PE. Ends the job if they are not symmetric, or there is no such PE.
std::int64_t find_offset(const char *call, const Symmetric &what, int pe);

/// The address of symmetric bytes of a PE of this node in this process; null for a PE of another node. Ends the job for wrong arguments.
char *mapped_place(const char *call, const Symmetric &what, int pe);

/// The same, first by the fast path.
inline char *find_place(const char *call, const Symmetric &what, int pe) {
  if (char *place = near_place(what.address, what.bytes, pe)) [[likely]]
    return place;
  return mapped_place(call, what, pe);
}

/// Calls use(target), which returns a Status, and ends the job if that is a failure. Also for PEs of this node.
template <class Use>
void with_target(const char *call, const Symmetric &what, int pe, Use use) {
  const std::int64_t offset = find_offset(call, what, pe);
  must(need_job(call).segment->with(call, pe, [&](const RemoteMemory &memory) { return use(Target{memory, offset}); }));
}

}  // namespace halocline::core::shmem
