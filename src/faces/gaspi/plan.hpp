// The layout of a rank's control part, the same on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <GASPI.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/rma/local_memory.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core::gaspi {

/// Hard limits. A program may configure lower ones.
constexpr unsigned kMostQueues = 16, kMostRequests = 4096, kMostGroups = 255, kMostSegments = 255, kMostNotifications = 65536;
constexpr unsigned kMostPassiveBytes = 65535, kMostOfList = 255;
constexpr unsigned long kMostBytes = 1ul << 40, kUsualBytes = 1ul << 30;
constexpr int kMostRanks = 65535;

/// The data of a control part, and which ranks write them:
///
///     changed      128 B  counts the segments registered with this rank      any rank
///     box          128 B  0, or the rank that writes the passive message     any rank, by compare and swap; this rank sets it back
///     message             a passive message                                  the rank that has taken the box
///     descriptors         of this rank's segments, by id                     this rank
///     records        8 B  of this rank's groups, by handle                   this rank
///     operands            of each group's reduction: a slot per round, one   one rank of the group each
///                         for the result
///
/// Notifications: a passive message has arrived, with its sender and size; the rank is to end. Each group also has monotonic words, each on
/// a line pair of its own. The barrier has one per round. The reduction has one per slot, which counts the pieces that have arrived. It has
/// another per slot of another rank, which counts the pieces that have been taken there.
class Plan {
 public:
  Plan(const gaspi_config_t &config, int ranks)
      : segments_(static_cast<int>(config.segment_max)),
        groups_(static_cast<int>(config.group_max)),
        rounds_(static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)))),
        message_(round_up(static_cast<std::int64_t>(config.passive_transfer_size_max), kLinePair)) {}

  /// Number of rounds of a collective call of all ranks.
  int rounds() const { return rounds_; }
  /// Bytes of a group's slots: longer operands are sent in pieces.
  static std::int64_t slot_bytes(int group) { return group == GASPI_GROUP_ALL ? kSlotOfAll : kSlot; }
  static std::int64_t changed() { return 0; }
  static std::int64_t box() { return kLinePair; }
  static std::int64_t descriptor(int segment) { return static_cast<std::int64_t>(2 * kLinePair) + segment * kDescriptor; }
  std::int64_t message() const { return round_up(record(groups_), kLinePair); }
  std::int64_t record(int group) const { return descriptor(segments_) + group * std::int64_t{sizeof(std::uint64_t)}; }
  std::int64_t records() const { return groups_; }
  /// The slot of a round; that of round rounds() is for the result.
  std::int64_t operand(int group, int round) const {
    const std::int64_t first = message() + message_, slots = rounds_ + 1;
    if (group == GASPI_GROUP_ALL) return first + round * kSlotOfAll;
    return first + slots * kSlotOfAll + ((group - 1) * slots + round) * kSlot;
  }
  std::int64_t bytes() const { return operand(groups_, 0); }

  int barrier_word(int group, int round) const { return word(kSets * group, round); }
  int reduction_word(int group, int round) const { return word(kSets * group + 1, round); }
  int taken_word(int group, int round) const { return word(kSets * group + 2, round); }
  MemorySpec spec() const { return {bytes(), kNotifications, word(kSets * groups_, 0), nullptr}; }

  static constexpr int kMessageCame = 0, kEnd = 1, kNotifications = 2;

 private:
  static constexpr int kSets = 3;  // of words
  static constexpr std::int64_t kSlot = 1024, kSlotOfAll = 32768;
  static constexpr std::int64_t kDescriptor = (sizeof(MemoryDescriptor) + kLinePair - 1) / kLinePair * kLinePair;

  static_assert(kSets * kMostGroups * (std::bit_width(kMostRanks - 1u) + 1) + kWordsPerLinePair <= NotificationWords::kMostIds);

  int word(int set, int round) const { return set * (rounds_ + 1) + round; }

  int segments_, groups_, rounds_;
  std::int64_t message_;
};

}  // namespace halocline::core::gaspi
