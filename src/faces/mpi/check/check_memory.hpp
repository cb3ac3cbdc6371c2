// HALOCLINE_CHECK=1: the shared memory in which the ranks of a window check each other's accesses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/mpi/check/access_log.hpp"
#include "faces/mpi/check/call_sites.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

/// A part per rank of the node: its log, its call sites, and an image of its memory. The image holds what the memory should hold: a copy from the
/// beginning of an epoch, and what accesses have written since. Where memory and image differ, the program has stored. On several nodes there
/// are no images, as accesses from elsewhere are not seen here. But there are logs of all ranks, for the accesses of this node's.
class CheckMemory {
 public:
  explicit CheckMemory(Window &window) : window_(window) {}

  /// Collective, the same status on all ranks.
  Status open();

  /// The log of a target. The accesses of other nodes are not in it.
  TargetLog &log(int rank) const {
    const Member member = window_.comm->member_of(rank);
    char *const at = member == kNotOnNode ? region_.part(0) + far_logs_ + rank * kSites : region_.part(member);
    return *reinterpret_cast<TargetLog *>(at);
  }
  /// Those of a rank of this node.
  CallSites &sites(int rank) const { return *reinterpret_cast<CallSites *>(region_.part(window_.comm->member_of(rank)) + kSites); }

  /// The rest under the mutex of the rank's log. Copies all memory of this rank to its image.
  void take_image();
  /// Copies what an access has written.
  void follow(int rank, const ByteRuns &runs);
  /// The first bytes of an access that differ; false if there are none, or no image.
  bool find_store(int rank, const ByteRuns &runs, ByteRange *found);

 private:
  static constexpr std::int64_t kSites = (static_cast<std::int64_t>(sizeof(TargetLog)) + 127) / 128 * 128;
  char *image(int rank) const { return region_.part(rank) + image_; }
  const char *read(int rank, ByteRange range);
  bool open_logs();

  Window &window_;
  SharedMemory region_;
  std::int64_t image_ = 0;  // offset in a part
  std::int64_t far_logs_ = 0;  // in the part of member 0, where there are other nodes: a log for each rank
  bool has_images_ = false;
};

}  // namespace halocline::core::mpi
