// The ranks of a group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halocline::core {

/// Mixes a number into a hash.
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t word = (seed ^ value) + 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

/// Ranks in ascending order. All ranks of a communicator take no list.
class GroupMembers {
 public:
  /// None yet.
  GroupMembers() = default;
  /// All ranks.
  explicit GroupMembers(int ranks) : all_(ranks) {}

  /// False if the rank is a member already.
  bool add(int rank) {
    const auto place = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    if (place != ranks_.end() && *place == rank) return false;
    ranks_.insert(place, rank);
    return true;
  }
  bool are_all() const { return all_ > 0; }
  int size() const { return are_all() ? all_ : static_cast<int>(ranks_.size()); }
  int rank_at(int index) const { return are_all() ? index : ranks_[static_cast<std::size_t>(index)]; }
  bool contains(int rank) const { return are_all() || std::binary_search(ranks_.begin(), ranks_.end(), rank); }
  /// The index of a member.
  int index_of(int rank) const {
    return are_all() ? rank : static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
  }
  /// The same on all ranks for the same list.
  std::uint64_t hash() const {
    std::uint64_t hash = mix(0, static_cast<std::uint64_t>(size()));
    for (const int rank : ranks_) hash = mix(hash, static_cast<std::uint64_t>(rank));
    return hash;
  }

 private:
  int all_ = 0;
  std::vector<int> ranks_;  // empty for all
};

}  // namespace halocline::core
