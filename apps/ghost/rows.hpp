// The stencil over a block without ghost cells: what lies around it is read where it is, in the neighbour's block or in a receive buffer. The
// block is handed out row by row, so that the inner loop knows nothing of where a row comes from.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil.hpp"

namespace ghost {

/// By number of the direction: the cells, one deep, that lie there. The middle one is the block.
using Around = std::array<View, kDirections>;

/// Writes the averages of a whole block. Of a stencil of 7 points only the views across faces are read.
void apply_with_views(RowKernel kernel, int stencil, const Around &around, const Target &out, const Index &cells);

}  // namespace ghost
