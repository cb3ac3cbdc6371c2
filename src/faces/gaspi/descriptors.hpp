// What the ranks of a group exchange when all have made their segments: whether that succeeded, and the descriptors. So the first use of
// such a segment needs no other rank, which may be inside MPI by then.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "faces/gaspi/job.hpp"

namespace halocline::core::gaspi {

/// The combined result of the ranks of a group.
struct GroupOutcome {
  int worst = 0;  // 0: all have their segments
  int any_shared = 0, all_shared = 0;
  int fewest = 0, most = 0;  // notifications

  bool agrees() const { return any_shared == all_shared && (any_shared == 0 || fewest == most); }
};

/// An outcome, and the descriptors of the group's ranks if there are several nodes and not too many ranks. Those of larger groups are read
/// when they are first used. Plain bytes, to be combined with those of other ranks.
class Statement {
 public:
  /// Has no descriptors yet.
  Statement(Job &job, const Group &group);

  /// Writes this rank's outcome and descriptor.
  void say(const GroupOutcome &outcome, const Group &group, int id);
  GroupOutcome outcome() const;
  /// The reduction that combines this statement with those of the others into `all`.
  SmallReduction reduction(Statement &all) const;
  /// Keeps the descriptors of ranks of other nodes.
  void learn(const Group &group, int id) const;

 private:
  static Status combine(const void *what, void *value, const void *other);
  static std::size_t place_of(int index) { return kOutcome + static_cast<std::size_t>(index) * kDescriptor; }

  static constexpr std::size_t kOutcome = (sizeof(GroupOutcome) + 7) / 8, kDescriptor = sizeof(MemoryDescriptor) / 8;  // words
  static constexpr int kMaxDescriptors = 64;

  Job &job_;
  int count_;
  std::vector<std::uint64_t> words_;
};

}  // namespace halocline::core::gaspi
