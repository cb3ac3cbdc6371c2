// A strided transfer: rows of bytes with distances on both sides. What is contiguous on both sides is one row, and levels with one repetition
// are left out, so that the loops over it are as few and as long as possible.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <armci.h>

#include <array>
#include <cstdint>

#include "engine/elements/steps.hpp"
#include "engine/rma/remote_memory.hpp"

namespace halocline::core::armci {

/// `local` is this process's side, `remote` the target's.
struct Strides {
  const int *local = nullptr;
  const int *remote = nullptr;
};

class Block {
 public:
  /// Contiguous bytes.
  explicit Block(std::int64_t bytes) : bytes_(bytes) {}
  /// As ARMCI describes it; there are no more than ARMCI_MAX_STRIDE_LEVEL levels.
  Block(Strides strides, const int *count, int levels) : bytes_(count[0]) {
    for (int level = 0; level < levels; ++level) add(count[level + 1], strides.local[level], strides.remote[level]);
  }

  /// Bytes of a row.
  std::int64_t row() const { return bytes_; }
  bool is_contiguous() const { return levels_ == 0; }
  /// All bytes.
  std::int64_t bytes() const {
    std::int64_t all = bytes_;
    for (int level = 0; level < levels_; ++level) all *= count_[index(level)];
    return all;
  }
  /// The bytes that it touches at the target.
  Extent remote_extent() const {
    Extent extent{0, bytes_};
    for (int level = 0; level < levels_; ++level) {
      const std::int64_t last = (count_[index(level)] - 1) * remote_[index(level)];
      (last < 0 ? extent.low : extent.high) += last;
    }
    return extent;
  }

  /// Calls work(offset in local, offset in remote, rows, distance in local, distance in remote) for rows at regular distances.
  template <class Work>
  void for_each_strip(Work work) const {
    if (levels_ == 0) return work(std::int64_t{0}, std::int64_t{0}, std::int64_t{1}, std::int64_t{0}, std::int64_t{0});
    std::array<std::int64_t, kMost> done{};
    std::int64_t local = 0, remote = 0;
    while (true) {
      work(local, remote, count_[0], local_[0], remote_[0]);
      int level = 1;
      for (; level < levels_; ++level) {
        local += local_[index(level)];
        remote += remote_[index(level)];
        if (++done[index(level)] < count_[index(level)]) break;
        done[index(level)] = 0;
        local -= count_[index(level)] * local_[index(level)];
        remote -= count_[index(level)] * remote_[index(level)];
      }
      if (level >= levels_) return;
    }
  }

  /// One side as the engine's packed operations take it.
  elements::Steps local_steps() const { return steps(local_); }
  elements::Steps remote_steps() const { return steps(remote_); }

 private:
  static constexpr int kMost = ARMCI_MAX_STRIDE_LEVEL;
  using Numbers = std::array<std::int64_t, kMost>;

  static std::size_t index(int level) { return static_cast<std::size_t>(level); }

  void add(std::int64_t count, std::int64_t local, std::int64_t remote) {
    if (count == 1) return;
    if (levels_ == 0 && local == bytes_ && remote == bytes_) {
      bytes_ *= count;
      return;
    }
    if (levels_ > 0 && local == count_[index(levels_ - 1)] * local_[index(levels_ - 1)] &&
        remote == count_[index(levels_ - 1)] * remote_[index(levels_ - 1)]) {
      count_[index(levels_ - 1)] *= count;
      return;
    }
    count_[index(levels_)] = count;
    local_[index(levels_)] = local;
    remote_[index(levels_)] = remote;
    ++levels_;
  }

  elements::Steps steps(const Numbers &strides) const {
    elements::Steps steps;
    elements::Step strip;
    strip.strip = {0, bytes_, levels_ > 0 ? count_[0] : 1, levels_ > 0 ? strides[0] : 0};
    steps.all.push_back(strip);
    for (int level = 1; level < levels_; ++level) {
      elements::Step loop;
      loop.strip = {0, 0, count_[index(level)], strides[index(level)]};
      loop.first = static_cast<std::uint32_t>(level - 1);
      loop.end = static_cast<std::uint32_t>(level);
      steps.all.push_back(loop);
    }
    steps.top = static_cast<std::uint32_t>(steps.all.size() - 1);
    steps.depth = levels_ + 1;
    return steps;
  }

  std::int64_t bytes_;
  int levels_ = 0;
  Numbers count_, local_, remote_;  // the first levels_ are initialised
};

}  // namespace halocline::core::armci
