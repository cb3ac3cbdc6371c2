// The stencils: averages of 7 or 27 cells, as in MiniGhost. Every variant and the serial run add in one order, so that all get the same
// bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields.hpp"

#include <array>

namespace ghost {

/// Nine lines of cells along x, around and with the one in the middle: number (dy + 1) + 3 (dz + 1).
template <class Line>
using Lines = std::array<Line, 9>;

struct SevenPoints {
  static constexpr bool box = false;

  /// The average around a cell, of which line(r, i) gives cell i of line r, relative to it.
  template <class Cell>
  static double average(const Cell &line) {
    return ((((three(line, 4) + line(3, 0)) + line(5, 0)) + line(1, 0)) + line(7, 0)) * (1.0 / 7.0);
  }
  template <class Cell>
  static double three(const Cell &line, int r) {
    return (line(r, -1) + line(r, 0)) + line(r, 1);
  }
};

struct TwentySevenPoints {
  static constexpr bool box = true;

  template <class Cell>
  static double average(const Cell &line) {
    return ((nine(line, 0) + nine(line, 3)) + nine(line, 6)) * (1.0 / 27.0);
  }
  template <class Cell>
  static double nine(const Cell &line, int r) {
    return (SevenPoints::three(line, r) + SevenPoints::three(line, r + 1)) + SevenPoints::three(line, r + 2);
  }
};

/// Writes cells begin to end - 1 of a row whose lines are contiguous from cell begin - 1 to cell end.
template <class Stencil>
inline void average_row(const Lines<const double *> &lines, double *__restrict out, std::int64_t begin, std::int64_t end) {
  const Lines<const double *> from = lines;  // nobody else's pointers: they stay in registers
  for (std::int64_t i = begin; i < end; ++i)
    out[i] = Stencil::average([&from, i](int r, int x) { return from[static_cast<std::size_t>(r)][i + x]; });
}

/// A whole block whose surroundings are its own ghost cells; `points` is 7 or 27.
void apply_with_ghosts(int points, const View &in, const Target &out, const Index &cells);

}  // namespace ghost
