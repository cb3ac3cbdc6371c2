// The layout of a rank's control part, the same on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <GASPI.h>

#include <cstdint>

#include "engine/rma/segment_directory.hpp"
#include "engine/sync/group_layout.hpp"

namespace halocline::core::gaspi {

/// Hard limits. A program may configure lower ones.
constexpr unsigned kMaxQueues = 16, kMaxRequests = 4096, kMaxGroups = 255, kMaxSegments = 255, kMaxNotifications = 65536;
/// The default: programs have arrays of as many groups as GPI-2 has.
constexpr unsigned kUsualGroups = 32;
constexpr unsigned kMaxPassiveBytes = 65535, kMaxOfList = 255;
constexpr unsigned long kMaxBytes = 1ul << 40, kUsualBytes = 1ul << 30;
constexpr int kMostRanks = 65535;

/// The data of a control part, and which ranks write them:
///
///     changed      128 B  counts the segments registered with this rank      any rank
///     box          128 B  0, or the rank that writes the passive message     any rank, by compare and swap; this rank sets it back
///     message             a passive message                                  the rank that has taken the box
///     descriptors         of this rank's segments, by id                     this rank
///     groups              records and slots, as GroupLayout says             this rank; one rank of the group each
///
/// Notifications: a passive message has arrived, with its sender and size; the rank is to end. The monotonic words are the groups'.
class Plan {
 public:
  Plan(const gaspi_config_t &config, int ranks)
      : message_(segments(static_cast<int>(config.segment_max)).descriptor(static_cast<int>(config.segment_max))),
        groups_(message_ + round_up(static_cast<std::int64_t>(config.passive_transfer_size_max), kLinePair),
                static_cast<int>(config.group_max), ranks) {}

  static std::int64_t changed() { return 0; }
  static std::int64_t box() { return kLinePair; }
  /// The descriptors and the count of changes; `segments` is the number of ids.
  static SegmentPlaces segments(int segments) { return {0, static_cast<std::int64_t>(2 * kLinePair), segments}; }
  std::int64_t message() const { return message_; }
  const GroupLayout &groups() const { return groups_; }
  MemorySpec spec() const { return {groups_.end(), kNotifications, groups_.words(), nullptr}; }

  static constexpr int kMessageArrived = 0, kEnd = 1, kNotifications = 2;

 private:
  static_assert(GASPI_GROUP_ALL == 0);  // as GroupLayout wants it
  static_assert(GroupLayout::words_for(kMaxGroups, kMostRanks) + kWordsPerLinePair <= NotificationWords::kMaxIds);

  std::int64_t message_;
  GroupLayout groups_;
};

}  // namespace halocline::core::gaspi
