// Prefetching in the course of a computation: a few cache lines with each site, as a core can only wait for some at a time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "prefetch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace common {

/// Cache lines that cores of two ranks use in turn. A line moves to the core that reads it, and to the one that writes it.
struct CacheLines {
  std::vector<const std::byte *> read;     ///< what this rank reads after the swap: of its neighbours, and of its own what they read
  std::vector<const std::byte *> written;  ///< what neighbours have read, and this rank writes next

  /// Adds the lines of some bytes, but for the last one that has been added.
  static void add(std::vector<const std::byte *> &lines, const std::byte *from, std::size_t bytes) {
    const std::byte *line = from - reinterpret_cast<std::uintptr_t>(from) % kLine;
    if (!lines.empty() && lines.back() == line) line += kLine;
    for (; line < from + bytes; line += kLine) lines.push_back(line);
  }
  static constexpr std::size_t kLine = 64;
};

/// Goes through lines along with a loop.
class Ahead {
 public:
  /// Nothing is prefetched.
  Ahead() = default;
  /// The loop has so many steps. Of more lines than it can take, the last ones are left out.
  Ahead(const CacheLines &lines, std::size_t steps) : lines_(&lines), count_(lines.read.size() + lines.written.size()) {
    each_ = std::min<std::size_t>(kMax, count_ / std::max<std::size_t>(steps, 1) + 1);
  }
  /// A step of the loop.
  void step() {
    for (std::size_t end = std::min(next_ + each_, count_); next_ < end; ++next_) {
      const std::size_t reads = lines_->read.size();
      next_ < reads ? fetch_to_read(lines_->read[next_]) : fetch_to_write(lines_->written[next_ - reads]);
    }
  }

 private:
  static constexpr std::size_t kMax = 4;

  const CacheLines *lines_ = nullptr;
  std::size_t count_ = 0, next_ = 0, each_ = 0;
};

}  // namespace common
