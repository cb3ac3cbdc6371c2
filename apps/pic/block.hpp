// A rank's block of the grid, and arrays over it. Node i is the low corner of cell i. Nodes hold E and moments, centres hold B and charge.
// Both kinds have the block's cells, and one halo cell on each side along dimensions that are split among ranks. Along others the block borders
// on itself: there a cell beyond one side is the cell at the other end, and nothing has to be copied or added.
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
  /// Halo cells on each side along a dimension: 1 if several ranks share it.
  int halo(int d) const { return grid_.ranks(d) > 1 ? 1 : 0; }
  double length(int d) const { return length_[at(d)]; }
  double spacing(int d) const { return spacing_[at(d)]; }
  /// Of a cell.
  double volume() const { return spacing_[0] * spacing_[1] * spacing_[2]; }
  /// The number of a cell; indices from -1 to n. Numbers of neighbours differ alike everywhere.
  std::size_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(((i + 1) * (n_[1] + 2) + (j + 1)) * (n_[2] + 2) + (k + 1));
  }
  /// Between the numbers of neighbours along a dimension.
  std::ptrdiff_t stride(int d) const {
    const std::int64_t row = n_[2] + 2;
    return d == 0 ? (n_[1] + 2) * row : d == 1 ? row : 1;
  }
  std::size_t cell_numbers() const { return static_cast<std::size_t>((n_[0] + 2) * (n_[1] + 2) * (n_[2] + 2)); }
  /// Where arrays have a cell, in cells from their first one.
  std::size_t place(std::size_t cell) const { return place_[cell]; }
  /// Between the places of neighbours along a dimension, but where the block borders on itself.
  std::ptrdiff_t place_stride(int d) const {
    const std::int64_t row = n_[2] + 2 * halo(2);
    return d == 0 ? (n_[1] + 2 * halo(1)) * row : d == 1 ? row : 1;
  }
  std::size_t places() const { return static_cast<std::size_t>((n_[0] + 2 * halo(0)) * place_stride(0)); }
  std::size_t own_cells() const { return static_cast<std::size_t>(n_[0] * n_[1] * n_[2]); }
  std::int64_t global_cells() const { return global(0) * global(1) * global(2); }
  /// The rank that has a cell of the whole grid.
  int owner(const Int3 &cell) const;

 private:
  static std::size_t at(int d) { return static_cast<std::size_t>(d); }

  halocline::Grid grid_;
  Int3 n_;
  Double3 length_, spacing_;
  std::vector<int> owner_[3];  ///< of each cell along a dimension: the coordinate of its rank
  std::vector<std::uint32_t> place_;  ///< by the number of a cell
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
      : block_(block), width_(static_cast<std::size_t>(width)), data_(context, block.places() * width_) {}
  double *at(std::size_t cell) { return data_.data() + block_.place(cell) * width_; }
  const double *at(std::size_t cell) const { return data_.data() + block_.place(cell) * width_; }
  int width() const { return static_cast<int>(width_); }
  void clear() { std::fill(data_.data(), data_.data() + data_.size(), 0.0); }
  /// All numbers of another array of this width, the halo included.
  void copy(const Array &from) { std::copy(from.data_.data(), from.data_.data() + from.data_.size(), data_.data()); }

 private:
  const Block &block_;
  std::size_t width_;
  halocline::SharedArray<double> data_;
};

/// Own cells to consecutive numbers, and back.
void gather(const Block &block, const Array &from, double *to);
void scatter(const Block &block, const double *from, Array &to);

}  // namespace pic
