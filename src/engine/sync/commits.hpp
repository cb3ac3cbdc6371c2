// Counts the groups of the same members that this rank has committed, or has begun to commit. All members count alike, and so give each
// group the same name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace halocline::core {

/// A commit: that of the count-th group of these members on this rank, and the handle by which others know the group.
struct Attempt {
  std::uint64_t members = 0, count = 0;
  int handle = 0;
};

/// One thread at a time.
class Commits {
 public:
  /// Counts one more group of these members.
  std::uint64_t count(std::uint64_t members) { return ++counts_[members]; }
  /// Notes a commit that this rank has abandoned before it was complete; others may still take part in it.
  void give_up(const Attempt &attempt) {
    given_up_.push_back(attempt);
    keep_handle(attempt.handle, true);
  }
  /// Takes the first abandoned commit of these members; false if there is none.
  bool take_given_up(std::uint64_t members, Attempt *attempt) {
    const auto found = std::find_if(given_up_.begin(), given_up_.end(), [&](const Attempt &one) { return one.members == members; });
    if (found == given_up_.end()) return false;
    *attempt = *found;
    given_up_.erase(found);
    return true;
  }

  /// To be called when a group ends: no new one gets its handle if others may still write to its words.
  void keep_handle(int handle, bool keeps) {
    const auto place = static_cast<std::size_t>(handle);
    if (place >= kept_handles_.size()) kept_handles_.resize(place + 1);
    kept_handles_[place] = keeps;
  }
  bool keeps_handle(int handle) const {
    const auto place = static_cast<std::size_t>(handle);
    return place < kept_handles_.size() && kept_handles_[place];
  }

 private:
  std::vector<bool> kept_handles_;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;  // by members
  std::vector<Attempt> given_up_;
};

}  // namespace halocline::core
