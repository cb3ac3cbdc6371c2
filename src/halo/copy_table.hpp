// The copies of a swap, contiguous and in the order in which they are done.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "halo/copy.hpp"

namespace halocline::core {

/// Copies in groups, which follow each other. Once there is room, nothing allocates.
class CopyTable {
 public:
  void reserve(std::size_t groups, std::size_t copies) {
    first_.reserve(groups);
    copies_.reserve(copies);
  }
  void clear() {
    first_.clear();
    copies_.clear();
  }
  void begin_group() { first_.push_back(copies_.size()); }
  void add(const BoundCopy &copy) { copies_.push_back(copy); }

  /// The copies of groups [first, end).
  std::span<BoundCopy> groups(std::size_t first, std::size_t end) {
    return {copies_.data() + begin_of(first), begin_of(end) - begin_of(first)};
  }
  std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>(first_.capacity() * sizeof(std::size_t) + copies_.capacity() * sizeof(BoundCopy));
  }

 private:
  std::size_t begin_of(std::size_t group) const { return group < first_.size() ? first_[group] : copies_.size(); }

  std::vector<std::size_t> first_;  // per group
  std::vector<BoundCopy> copies_;
};

}  // namespace halocline::core
