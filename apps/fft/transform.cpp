// SPDX-License-Identifier: BSD-3-Clause
#include "transform.hpp"

// Plans are made once per length.
#define POCKETFFT_CACHE_SIZE 16
#define POCKETFFT_NO_MULTITHREADING
#include <pocketfft_hdronly.h>

#include <algorithm>

namespace fft {
namespace {

/// Columns that are transformed at a time: rows far apart are in different pages and the same cache sets, so they are copied together first.
constexpr std::int64_t kTileColumns = 16;
constexpr auto kElementBytes = static_cast<std::ptrdiff_t>(sizeof(Complex));

/// A matrix without gaps, and along which of its two axes it is transformed.
void transform(MatrixSize size, std::size_t axis, const Complex *from, Complex *to, Direction direction) {
  const pocketfft::shape_t shape{static_cast<std::size_t>(size.rows), static_cast<std::size_t>(size.columns)};
  const pocketfft::stride_t strides{size.columns * kElementBytes, kElementBytes};
  pocketfft::c2c(shape, strides, strides, {axis}, direction == Direction::forward, from, to, 1.0);
}

}  // namespace

void transform_columns(MatrixSize size, const Rows &from, const Rows &to, Direction direction) {
  static std::vector<Complex> tile;
  tile.resize(static_cast<std::size_t>(size.rows * kTileColumns));
  for (std::int64_t first = 0; first < size.columns; first += kTileColumns) {
    const std::int64_t columns = std::min(kTileColumns, size.columns - first);
    for (std::int64_t i = 0; i < size.rows; ++i) std::copy_n(from.row(i) + first, columns, tile.data() + i * columns);
    transform({size.rows, columns}, 0, tile.data(), tile.data(), direction);
    for (std::int64_t i = 0; i < size.rows; ++i) std::copy_n(tile.data() + i * columns, columns, to.row(i) + first);
  }
}

void transform_rows(MatrixSize size, const Complex *from, Complex *to, Direction direction) { transform(size, 1, from, to, direction); }

}  // namespace fft
