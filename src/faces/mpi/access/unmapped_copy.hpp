// Copies of data that is not mapped here: by the kernel on the node, else over the network.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "faces/mpi/access/resolve_target.hpp"

namespace halocline::core::mpi {

/// Moves data between this rank and a target that is not mapped here. To another node it has only begun.
int copy_remote(Window &window, WindowMemory::Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin);

/// A copy of a target's data that is not mapped here: at the same distances, or without the gaps where these are most of it. To be used under
/// the target's lock.
class Image {
 public:
  /// Throws if there is no memory.
  Image(Window &window, const ResolvedTarget &resolved);
  int read();
  int write();
  const typed::Buffer &buffer() const { return buffer_; }

 private:
  int copy(WindowMemory::Direction direction) { return copy_remote(window_, direction, resolved_, buffer_); }
  char *allocate(std::int64_t bytes, std::uint64_t like);

  Window &window_;
  const ResolvedTarget &resolved_;
  std::vector<char> bytes_;
  typed::Buffer buffer_;
};

}  // namespace halocline::core::mpi
