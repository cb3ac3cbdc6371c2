// The list of what a rank has attached to a dynamic window, in shared memory. Written only by that rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/rma/exposed_memory.hpp"

namespace halocline::core::mpi {

/// `more` counts what did not fit: then any address may be attached. A free slot has no bytes.
struct AttachedRegions {
  static constexpr std::size_t kMax = 500;
  struct Slot {
    std::atomic<std::uint64_t> base;
    std::atomic<std::int64_t> bytes;
  };
  std::atomic<std::uint32_t> used, more;
  Slot slots[kMax];
};

/// A region as ranks of other nodes reach it. A free one has no bytes.
struct FarRegion {
  std::uint64_t base = 0;
  RemoteDescriptor descriptor;
};

/// The same where there are other nodes, whose ranks read it by gets. `version` is odd while the list changes. What did not fit is in an
/// array of FarRegion.
struct FarAttachedRegions {
  AttachedRegions list;
  std::atomic<std::uint64_t> version;
  RemoteDescriptor descriptors[AttachedRegions::kMax];
  RemoteDescriptor overflow;
};

}  // namespace halocline::core::mpi
