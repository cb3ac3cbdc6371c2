// The memory of this process as the kernel counts it, and what the node's shared memory holds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace bench {

/// Bytes of anonymous and of shared memory. A page of n processes counts 1/n. Pages of files do not count: their parts change with what else
/// runs on the machine.
struct ProcessMemory {
  double own = 0, shared = 0;
  double reserved = 0;  ///< of /dev/shm, by all processes of the machine

  double total() const { return own + shared; }
};

/// Reads /proc/self/smaps_rollup; zeros where there is none.
ProcessMemory process_memory();

}  // namespace bench
