// Strips as bytes of a message. What a strip shares with the one before is not repeated, so that most take a few bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/elements/steps.hpp"

namespace halocline::core::elements {

/// Bytes of a strip at most.
inline constexpr std::int64_t kMaxCode = 40;

/// Writes strips one after the other. There is room for kMaxCode bytes of each.
class StripWriter {
 public:
  explicit StripWriter(char *to) : begin_(to), next_(to) {}

  void add(const Strip &strip);
  std::int64_t bytes() const { return next_ - begin_; }

 private:
  void write(std::uint64_t number);

  char *begin_, *next_;
  std::uint64_t end_ = 0;  // of the strip before
};

/// Reads what a StripWriter has written, or any other bytes: then the strips are any, with at least one run of at least one byte.
class StripReader {
 public:
  StripReader(const char *from, std::int64_t bytes) : next_(from), end_of_code_(from + bytes) {}

  /// False at the end, and for bytes that do not encode a strip.
  bool next(Strip &strip);
  /// True if all bytes have been strips.
  bool is_at_end() const { return next_ == end_of_code_; }

 private:
  bool read(std::uint64_t &number);

  const char *next_, *end_of_code_;
  std::uint64_t end_ = 0;
};

}  // namespace halocline::core::elements
