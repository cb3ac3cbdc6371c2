// The arrays of one rank, one per variable, with or without ghost cells; and the copying of boxes of cells. All variants lay out their
// arrays alike, wherever the memory comes from.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.hpp"

#include <cstddef>

namespace ghost {

/// Cells to read, seen from the first of a box: x is contiguous, `row` and `plane` are the distances along y and z, in cells.
struct View {
  const double *first = nullptr;
  std::int64_t row = 0, plane = 0;

  const double *at(std::int64_t x, std::int64_t y, std::int64_t z) const { return first + x + y * row + z * plane; }
};

/// The same to write.
struct Target {
  double *first = nullptr;
  std::int64_t row = 0, plane = 0;

  double *at(std::int64_t x, std::int64_t y, std::int64_t z) const { return first + x + y * row + z * plane; }
  operator View() const { return {first, row, plane}; }
};

/// A box of extents `cells` without gaps, as it travels.
inline Target packed(double *first, const Index &cells) { return {first, cells[0], cells[0] * cells[1]}; }

void copy_box(const View &from, const Target &to, const Index &cells);

/// What the cells beyond an open side hold, and what cell (x, y, z) of the whole grid starts with: different for each, and never 0.
double constant_beyond(int variable);
double initial_value(const Index &cell, int variable);

/// The arrays of one rank in its part of memory.
class Fields {
 public:
  /// What all ranks have in common: ghost cells on each side, 0 or 1, and variables.
  struct Kind {
    int ghost, variables;
  };
  Fields() = default;
  Fields(std::byte *memory, const Index &cells, const Kind &kind);
  /// Bytes that such arrays take.
  static std::size_t bytes(const Index &cells, const Kind &kind);

  /// The block of a variable, ghost cells beyond its edges.
  Target block(int variable) const;
  /// Of that block the cells that a neighbour in direction v reads.
  View edge(int variable, const Index &v) const;
  /// The ghost cells in direction v.
  Target halo(int variable, const Index &v) const;

  const Index &cells() const { return cells_; }

 private:
  double *first_ = nullptr;
  Index cells_{};
  std::int64_t ghost_ = 0, row_ = 0, plane_ = 0, array_ = 0;
};

/// Gives all cells of this rank their first values.
void fill(const Fields &fields, const Grid &grid, int variables);

}  // namespace ghost
