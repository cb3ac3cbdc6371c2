// Pieces of a layout, which are placed, repeated and joined while a datatype is flattened. Here adjacent runs become one, and runs at a
// regular distance a strip.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "faces/mpi/datatype/elements.hpp"

namespace halocline::mpi {

struct Piece {
  std::vector<Step> steps;
  std::int64_t bytes = 0;
  std::int64_t basics = 0;
  Basic basic = Basic::none;
  std::uint64_t offset_bits = 0;  // of all offsets and strides, one or the other
  Reach reach;
  int depth = 1;  // loops within loops, with the one over the datatype's elements
};

/// A piece, and the distance between elements of its datatype.
struct Element {
  Piece piece;
  std::int64_t extent = 0;
};

/// The bodies of loops that the pieces of one datatype have.
class Pieces {
 public:
  /// `count` times the piece, `stride` bytes apart.
  Piece repeat(const Piece &piece, std::int64_t count, std::int64_t stride);

  /// The same piece in not more than `most` steps: if it has more, they become a body. `most` is at least 1.
  Piece shorten(Piece piece, std::size_t most);

  /// Appends the piece at that displacement.
  static void append(Piece &list, const Piece &piece, std::int64_t displacement);

  /// Combines what has been appended, where it is regular.
  static void combine(Piece &list);

  /// All steps, with those of the piece at the end.
  Steps finish(const Piece &piece, std::int64_t extent) &&;

 private:
  Step body(const std::vector<Step> &steps);
  std::vector<Step> all_;
};

}  // namespace halocline::mpi
