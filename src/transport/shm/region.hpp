// Shared memory of the ranks of one node: one POSIX object with a part per rank, mapped whole by each, unlinked before create returns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transport/transport.hpp"

namespace halocline::transport::shm {

/// Memory with one part per rank of the node. Move-only; unmaps when it goes.
///
///   object: | part of member 0 ... | part of member 1 ... | ... |     each part starts on a page, holds zeros at first
///
/// Pages are reserved at creation, by the rank that owns the part: a full /dev/shm is an error then and never a signal later.
class Region {
 public:
  Region() = default;
  Region(Region &&other) noexcept;
  Region &operator=(Region &&other) noexcept;
  ~Region();

  /// Makes a region. Collective over node; my_bytes may differ between ranks. Fails on all ranks of the node or on none.
  static Status create(MPI_Comm node, std::int64_t my_bytes, Region &region);

  /// First byte of a member's part, in this process's address space.
  char *part(Member member) const { return base_ + offsets_[static_cast<std::size_t>(member)]; }
  /// Bytes of a member's part, rounded up to pages.
  std::int64_t part_bytes(Member member) const {
    return offsets_[static_cast<std::size_t>(member) + 1] - offsets_[static_cast<std::size_t>(member)];
  }

 private:
  Status map(int file, Member me);

  char *base_ = nullptr;
  std::vector<std::int64_t> offsets_;  // per member, and the end
};

static_assert(RegionContract<Region>);

}  // namespace halocline::transport::shm
