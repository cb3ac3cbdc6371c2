// Memory for any number of elements of a datatype, with guards around it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mpi_face/random_types.hpp"

namespace halocline::test {

/// Every byte is different from its neighbours, and none is zero.
class Memory {
 public:
  Memory(const Span &span, int seed) : span_(span), bytes_(static_cast<std::size_t>(span_.end - span_.begin + 2 * kGuard)) {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      bytes_[i] = static_cast<unsigned char>(1 + (i * 7 + static_cast<std::size_t>(seed) * 31) % 251);
  }
  /// Where the elements begin, as calls want it.
  char *address() { return reinterpret_cast<char *>(bytes_.data()) + kGuard - span_.begin; }
  const Span &span() const { return span_; }
  const std::vector<unsigned char> &bytes() const { return bytes_; }

 private:
  static constexpr std::int64_t kGuard = 64;
  Span span_;
  std::vector<unsigned char> bytes_;
};

}  // namespace halocline::test
