// Differences on the staggered grid. Each component is differenced along one dimension and averaged over the other two, from the eight nodes
// of a cell to its centre, or from the eight cells around a node to that. So the divergence of a curl is 0, and the two curls are adjoint.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "block.hpp"

namespace pic {

/// Which way: the low one of the eight values around cell i is number i + shift.
enum class To : int { centres = 0, nodes = -1 };

/// The indices first to last of each dimension, last not included; 0 and n are the own cells.
struct Range {
  Int3 first, last;
};
inline Range own(const Block &block) { return {{0, 0, 0}, {block.n(0), block.n(1), block.n(2)}}; }
/// Own cells, and `low` halo cells beside them below and `high` above, 0 or 1: along dimensions that have a halo.
inline Range wider(const Block &block, std::int64_t low, std::int64_t high) {
  Range range = own(block);
  for (int d = 0; d < 3; ++d) {
    range.first[static_cast<std::size_t>(d)] -= low * block.halo(d);
    range.last[static_cast<std::size_t>(d)] += high * block.halo(d);
  }
  return range;
}

template <class Visit>
void for_range(const Block &block, const Range &range, const Visit &visit) {
  for (std::int64_t i = range.first[0]; i < range.last[0]; ++i)
    for (std::int64_t j = range.first[1]; j < range.last[1]; ++j)
      for (std::int64_t k = range.first[2]; k < range.last[2]; ++k) visit(block.cell(i, j, k));
}

/// to = curl of from, both of 3 numbers per cell.
void curl(const Block &block, const Array &from, To where, const Range &range, Array &to);
/// to (1 number) = divergence of from (3 numbers).
void divergence(const Block &block, const Array &from, To where, const Range &range, Array &to);
/// to (3 numbers) = gradient of from (1 number).
void gradient(const Block &block, const Array &from, To where, const Range &range, Array &to);
/// to = the mean of the eight values around, 3 numbers per cell.
void average(const Block &block, const Array &from, To where, const Range &range, Array &to);

}  // namespace pic
