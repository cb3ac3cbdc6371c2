// Where a rank's control memory holds what its groups need. The layout is the same on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/atomics.hpp"
#include "engine/sync/dissemination.hpp"

namespace halocline::core {

/// A part of the data, and the ranks that write it:
///
///     records        8 B  names of this rank's groups, by handle             this rank
///     slots               of each group's reduction: one per round, one for  one rank of the group each
///                         the result
///
/// Each group also has monotonic words, each on a line pair of its own. The barrier has one per round. The reduction has one per slot,
/// which counts the pieces that have arrived. It has another per slot of another rank, which counts the pieces that have been taken there.
/// Handle 0 is the group of all ranks, whose slots are larger.
class GroupLayout {
 public:
  GroupLayout() = default;
  /// `first` is the offset of the records.
  GroupLayout(std::int64_t first, int groups, int ranks) : first_(first), groups_(groups), rounds_(doubling_rounds(ranks)) {}

  int groups() const { return groups_; }
  /// Number of rounds of a collective call of all ranks.
  int rounds() const { return rounds_; }
  std::int64_t record(int group) const { return first_ + group * std::int64_t{sizeof(std::uint64_t)}; }
  /// Bytes of a group's slots: longer operands are sent in pieces.
  static std::int64_t slot_bytes(int group) { return group == 0 ? kSlotOfAll : kSlot; }
  /// The slot of a round; that of round rounds() is for the result.
  std::int64_t slot(int group, int round) const {
    const std::int64_t first = round_up(record(groups_), kLinePair), slots = rounds_ + 1;
    if (group == 0) return first + round * kSlotOfAll;
    return first + slots * kSlotOfAll + ((group - 1) * slots + round) * kSlot;
  }
  std::int64_t end() const { return slot(groups_, 0); }

  int barrier_word(int group, int round) const { return word(kSets * group, round); }
  int reduction_word(int group, int round) const { return word(kSets * group + 1, round); }
  int taken_word(int group, int round) const { return word(kSets * group + 2, round); }
  int words() const { return word(kSets * groups_, 0); }
  /// The same for that many groups and ranks.
  static constexpr int words_for(int groups, int ranks) { return kSets * groups * (doubling_rounds(ranks) + 1); }

 private:
  static constexpr int kSets = 3;  // of words
  static constexpr std::int64_t kSlot = 1024, kSlotOfAll = 32768;

  int word(int set, int round) const { return set * (rounds_ + 1) + round; }

  std::int64_t first_ = 0;
  int groups_ = 0, rounds_ = 0;
};

}  // namespace halocline::core
