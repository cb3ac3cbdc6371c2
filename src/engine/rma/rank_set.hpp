// A set of ranks: a bit each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halocline::core {

/// One thread at a time. Allocates only where a rank is larger than all before.
class RankSet {
 public:
  void add(int rank) {
    const auto word = static_cast<std::size_t>(rank / kBits);
    if (word >= words_.size()) words_.resize(word + 1);
    if (!contains(rank)) count_ += 1;
    words_[word] |= bit(rank);
  }
  void remove(int rank) {
    if (!contains(rank)) return;
    words_[static_cast<std::size_t>(rank / kBits)] &= ~bit(rank);
    count_ -= 1;
  }
  bool contains(int rank) const {
    const auto word = static_cast<std::size_t>(rank / kBits);
    return word < words_.size() && (words_[word] & bit(rank)) != 0;
  }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  /// Removes all, in ascending order, and calls use(rank) for each.
  template <class Use>
  void take_all(Use use) {
    for (int word = 0; !empty() && word < static_cast<int>(words_.size()); ++word)
      while (const std::uint64_t bits = words_[static_cast<std::size_t>(word)]) {
        const int rank = word * kBits + std::countr_zero(bits);
        remove(rank);
        use(rank);
      }
  }
  void clear() {
    take_all([](int) {});
  }

 private:
  static constexpr int kBits = 64;
  static std::uint64_t bit(int rank) { return std::uint64_t{1} << (rank % kBits); }

  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
};

}  // namespace halocline::core
