// One-dimensional transforms of many lines at a time, by pocketfft (third_party/pocketfft, BSD-3-Clause).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

namespace fft {

enum class Direction { forward, backward };

/// The rows of a matrix: so many in each block, `stride` elements apart.
struct Rows {
  std::vector<Complex *> blocks;
  std::int64_t rows_of_block;
  std::int64_t stride;

  Complex *row(std::int64_t i) const { return blocks[static_cast<std::size_t>(i / rows_of_block)] + i % rows_of_block * stride; }
};

struct MatrixSize {
  std::int64_t rows, columns;
};

/// Transforms every column. `to` may be the same rows as `from`.
void transform_columns(MatrixSize size, const Rows &from, const Rows &to, Direction direction);

/// Transforms every row; rows are contiguous. `to` may be the same as `from`.
void transform_rows(MatrixSize size, const Complex *from, Complex *to, Direction direction);

}  // namespace fft
