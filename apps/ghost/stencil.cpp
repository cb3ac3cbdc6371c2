// SPDX-License-Identifier: BSD-3-Clause
#include "stencil.hpp"

namespace ghost {

static void row_of_7(const Rows &rows, double *__restrict out, std::int64_t count) {
  const double *below = rows[1], *south = rows[3], *middle = rows[4], *north = rows[5], *above = rows[7];
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = ((((((middle[i - 1] + middle[i]) + middle[i + 1]) + south[i]) + north[i]) + below[i]) + above[i]) * (1.0 / 7.0);
}

static double three(const double *cell) { return (cell[-1] + cell[0]) + cell[1]; }

static void row_of_27(const Rows &rows, double *__restrict out, std::int64_t count) {
  const double *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4], *r5 = rows[5], *r6 = rows[6], *r7 = rows[7],
               *r8 = rows[8];
  for (std::int64_t i = 0; i < count; ++i) {
    const double low = (three(r0 + i) + three(r1 + i)) + three(r2 + i);
    const double middle = (three(r3 + i) + three(r4 + i)) + three(r5 + i);
    const double high = (three(r6 + i) + three(r7 + i)) + three(r8 + i);
    out[i] = ((low + middle) + high) * (1.0 / 27.0);
  }
}

RowKernel row_kernel(int stencil) { return stencil == 27 ? row_of_27 : row_of_7; }

void apply_with_ghosts(RowKernel kernel, const View &in, const Target &out, const Index &cells) {
  for (std::int64_t z = 0; z < cells[2]; ++z)
    for (std::int64_t y = 0; y < cells[1]; ++y) {
      Rows rows;
      for (int r = 0; r < 9; ++r) rows[static_cast<std::size_t>(r)] = in.at(0, y + r % 3 - 1, z + r / 3 - 1);
      kernel(rows, out.at(0, y, z), cells[0]);
    }
}

}  // namespace ghost
