// The collective copies, of teams and of active sets alike. dest and source are symmetric, dest may be written as soon as one member calls.
// They return when dest of this PE has its data, and source may be reused.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "faces/shmem/channel.hpp"
#include "faces/shmem/move.hpp"

namespace halocline::core::shmem {

/// The arguments that all of them have.
struct Copy {
  void *dest;
  const void *source;
  std::size_t nelems, element_bytes;

  std::size_t bytes() const { return bytes_of(nelems, element_bytes); }
};

/// The root's own dest is written if it is a call of a team.
void broadcast(const Collective &collective, const Copy &copy, int root, bool writes_own);
/// The sources of all members, one after the other; nelems may differ.
void collect(const Collective &collective, const Copy &copy);
void fcollect(const Collective &collective, const Copy &copy);
void alltoall(const Collective &collective, const Copy &copy);

/// Distances of two elements of a block, in elements.
struct Distances {
  std::ptrdiff_t dest, source;
};
void alltoalls(const Collective &collective, const Copy &copy, const Distances &distances);

}  // namespace halocline::core::shmem
