// A rank's block of the grid, and arrays over it. Node i is the low corner of cell i. Nodes hold E and moments, centres hold B and charge.
// Both kinds have the block's cells and one halo cell on each side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace pic {

using Int3 = std::array<std::int64_t, 3>;
using Double3 = std::array<double, 3>;

/// All dimensions are periodic.
class Block {
 public:
  /// ranks: along each dimension, 0 where free. Every rank makes the same split.
  Block(const halocline::Context &context, const Int3 &cells, const Double3 &length, const std::array<int, 3> &ranks);

  const halocline::Grid &grid() const { return grid_; }
  std::int64_t n(int d) const { return n_[at(d)]; }
  std::int64_t start(int d) const { return grid_.start(d); }
  std::int64_t global(int d) const { return grid_.global(d); }
  /// Whether several ranks share a dimension.
  bool is_split(int d) const { return grid_.ranks(d) > 1; }
  double length(int d) const { return length_[at(d)]; }
  double spacing(int d) const { return spacing_[at(d)]; }
  /// Of a cell.
  double volume() const { return spacing_[0] * spacing_[1] * spacing_[2]; }
  /// The number of a cell in an array; indices from -1 to n.
  std::size_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(((i + 1) * (n_[1] + 2) + (j + 1)) * (n_[2] + 2) + (k + 1));
  }
  /// Cells between neighbours along a dimension.
  std::ptrdiff_t stride(int d) const {
    const std::int64_t row = n_[2] + 2;
    return d == 0 ? (n_[1] + 2) * row : d == 1 ? row : 1;
  }
  std::size_t cells_with_halo() const { return static_cast<std::size_t>((n_[0] + 2) * (n_[1] + 2) * (n_[2] + 2)); }
  std::size_t own_cells() const { return static_cast<std::size_t>(n_[0] * n_[1] * n_[2]); }
  std::int64_t global_cells() const { return global(0) * global(1) * global(2); }
  /// The rank that has a cell of the whole grid.
  int owner(const Int3 &cell) const;

 private:
  static std::size_t at(int d) { return static_cast<std::size_t>(d); }

  halocline::Grid grid_;
  Int3 n_;
  Double3 length_, spacing_;
  std::vector<int> place_[3];  ///< of each cell along a dimension: the coordinate of its rank
};

/// Calls visit(cell, own, i, j, k) for all cells of a block, whose own numbers count up from 0.
template <class Visit>
void for_own(const Block &block, const Visit &visit) {
  std::size_t own = 0;
  for (std::int64_t i = 0; i < block.n(0); ++i)
    for (std::int64_t j = 0; j < block.n(1); ++j)
      for (std::int64_t k = 0; k < block.n(2); ++k) visit(block.cell(i, j, k), own++, i, j, k);
}

/// `width` numbers per cell, halo included, in memory that the node shares. Making one is collective.
class Array {
 public:
  Array(const halocline::Context &context, const Block &block, int width)
      : width_(width), data_(context, block.cells_with_halo() * static_cast<std::size_t>(width)) {}
  double *at(std::size_t cell) { return data_.data() + cell * static_cast<std::size_t>(width_); }
  const double *at(std::size_t cell) const { return data_.data() + cell * static_cast<std::size_t>(width_); }
  double *data() { return data_.data(); }
  int width() const { return width_; }
  void clear() { std::fill(data_.data(), data_.data() + data_.size(), 0.0); }

 private:
  int width_;
  halocline::SharedArray<double> data_;
};

/// As Array, but with halo cells only along dimensions that are split among ranks. Along others the block borders on itself: there a cell
/// beyond one side is a cell of the other, and nothing has to be copied or added. Cells have the numbers that they have in an Array.
class SplitArray {
 public:
  /// Making one is collective.
  SplitArray(const halocline::Context &context, const Block &block, int width);
  double *at(std::size_t cell) { return data_.data() + place_[cell]; }
  const double *at(std::size_t cell) const { return data_.data() + place_[cell]; }
  int width() const { return width_; }
  /// Halo cells on each side along a dimension, 0 or 1.
  int halo(int d) const { return halo_[static_cast<std::size_t>(d)]; }
  /// Numbers between neighbours along a dimension.
  std::ptrdiff_t stride(int d) const { return stride_[static_cast<std::size_t>(d)]; }
  void clear() { std::fill(data_.data(), data_.data() + data_.size(), 0.0); }

 private:
  int width_;
  std::array<int, 3> halo_;
  Int3 stride_;
  std::vector<std::size_t> place_;  ///< of each cell of an Array: the index of its first number
  halocline::SharedArray<double> data_;
};

/// Own cells to consecutive numbers, and back.
void gather(const Block &block, const Array &from, double *to);
void scatter(const Block &block, const double *from, Array &to);

}  // namespace pic
