// What was made from a context and has not been released yet, by kind: a context that is to be closed names it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace halocline::core {

enum class Live : std::size_t { halo, index_halo, blocks, exchange, allreduce, sparse, segment };
inline constexpr std::size_t kLiveKinds = 7;

/// Counts that threads may change at the same time, each with objects of its own.
class LiveObjects {
 public:
  void add(Live kind) { of(kind) += 1; }
  void remove(Live kind) { of(kind) -= 1; }
  int number(Live kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  int all() const {
    int sum = 0;
    for (const std::atomic<int> &count : counts_) sum += count;
    return sum;
  }

 private:
  std::atomic<int> &of(Live kind) { return counts_[static_cast<std::size_t>(kind)]; }

  std::array<std::atomic<int>, kLiveKinds> counts_{};
};

}  // namespace halocline::core
