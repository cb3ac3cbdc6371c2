// The stencil over a block without ghost cells: what lies around it is read where it is, in the neighbour's block or in a receive buffer.
// The block is taken row by row, so that the inner loop knows nothing of where its lines come from; only the two ends of a row, whose
// neighbours along x lie elsewhere, are computed one by one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil.hpp"

#include <vector>

namespace ghost {

/// By number of the direction: the cells, one deep, that lie there. The middle one is the block.
using Around = std::array<View, kDirections>;

class Rows {
 public:
  Rows(int points, const Index &cells);

  /// Writes the averages of a whole block. Of 7 points only the views across faces are read.
  void apply(const Around &around, const Target &out);

 private:
  /// A line of cells, and the cells before and after it.
  struct Line {
    const double *cells;
    double left, right;
  };

  template <class Stencil>
  void apply_as(const Around &around, const Target &out);
  template <class Stencil>
  void average(const Lines<const Line *> &lines, double *out) const;
  void find_lines(const Around &around, std::int64_t z);
  const Line &line(std::int64_t y, std::int64_t z) const;
  Line *layer(std::int64_t z) { return lines_.data() + (z + 3) % 3 * (cells_[1] + 2); }

  int points_;
  Index cells_;
  std::vector<Line> lines_;  ///< of three layers in turn; in each those from y = -1 on
};

}  // namespace ghost
