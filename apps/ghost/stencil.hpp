// The stencils: averages of 7 or 27 cells, as in MiniGhost. Every variant and the serial run add in one order, so that all get the same bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields.hpp"

#include <array>

namespace ghost {

/// The rows around a row: number (dy + 1) + 3 (dz + 1), each at the cell above or below the first one. 7 points read the numbers 1, 3, 4, 5 and 7.
using Rows = std::array<const double *, 9>;

/// Writes the averages around count cells of a row. Of rows that are read with their neighbours along x, cells -1 to count must be there.
using RowKernel = void (*)(const Rows &rows, double *out, std::int64_t count);
RowKernel row_kernel(int stencil);

/// A whole block whose surroundings are its own ghost cells.
void apply_with_ghosts(RowKernel kernel, const View &in, const Target &out, const Index &cells);

}  // namespace ghost
