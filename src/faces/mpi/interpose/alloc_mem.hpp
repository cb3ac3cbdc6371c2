// Memory of MPI_Alloc_mem, which other ranks of the node can map, so that windows over it need no copies by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/memory/node_memory.hpp"

namespace halocline::core::mpi {

/// How other ranks map memory of this process. Plain bytes.
struct SharedPlace {
  ObjectAddress object;
  std::int64_t object_bytes = 0;  // 0: they cannot
  std::int64_t offset = 0;
};

/// Describes memory of this process: it can be mapped if all of it is in one allocation of MPI_Alloc_mem. Any thread.
SharedPlace find_shared(const void *base, std::int64_t bytes);

/// Maps such memory of another rank. Not mapped() if that fails.
SharedMemory map_shared(const SharedPlace &place);

}  // namespace halocline::core::mpi
