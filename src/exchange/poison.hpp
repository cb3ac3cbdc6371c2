// Check mode's poison: what halo cells hold between start and finish, so that values computed from them can be recognised.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace halocline::core {

/// The poison of one element type, made by one rank. Real and complex elements become quiet NaNs with their own payload, which arithmetic
/// propagates on x86-64 and AArch64. Other elements become a pattern of bytes, which copying propagates. Both contain the rank whose halo
/// they were read from: reals modulo 1024, others modulo 65536. So no rank is blamed for what a neighbour read.
class Poison {
 public:
  Poison(hlc_type type, std::int64_t element, int rank);

  /// The bytes of a poisoned cell.
  const std::vector<char> &cell() const { return cell_; }
  /// True if a cell holds this rank's poison or, for reals, something that was computed from it. Always false for elements of fewer than
  /// four bytes, whose pattern may be a valid value.
  bool found_in(const char *cell) const;

 private:
  hlc_type type_;
  std::uint32_t nan_;  // as a float
  std::vector<char> cell_;
};

/// An element in words: its number or numbers, "poison", or its bytes where the type is opaque.
std::string element_in_words(hlc_type type, std::int64_t element, const char *cell);

}  // namespace halocline::core
