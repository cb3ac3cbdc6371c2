// The field of NAS FT: its random beginning, the factors by which its transform evolves, and the checksum. All of them know where in the
// grid a rank's part is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

#include <span>

namespace fft {

/// Points `first` to first + count - 1 of a direction.
struct Range {
  int first = 0, count = 0;

  bool has(int point) const { return point >= first && point < first + count; }
};

/// A part of the grid.
struct Box {
  Range x, y, z;

  std::int64_t points() const { return std::int64_t{x.count} * y.count * z.count; }
};

/// NPB's random field in a box, x fastest, z slowest. The numbers are those of one sequence through the whole grid.
std::vector<Complex> initial_field(const Size &size, const Box &box);

/// Multiplies the transform of the field by exp(-4 alpha pi^2 |k|^2), plane by plane.
class Evolution {
 public:
  Evolution(const Size &size, const Box &box);
  /// A plane of constant y, x fastest.
  void step(int plane, Complex *values) const;

 private:
  std::vector<double> x_, y_, z_;
};

/// Elements of a checksum.
inline constexpr int kElements = 1024;

/// The checksums of several iterations. Elements are collected on their ranks and added up at the end, in the order of NPB: so all
/// decompositions have the same bits.
class Checksums {
 public:
  /// A rank's part of the result is a box whose fastest direction is x, then z, then y.
  Checksums(const Size &size, const Box &box, int iterations);
  void collect(int iteration, const Complex *field);
  /// Collective.
  std::vector<Complex> sums() const;

 private:
  struct Element {
    int number;
    std::int64_t place;
  };
  double points_;
  std::vector<Element> mine_;
  std::vector<Complex> values_;  ///< kElements per iteration; 0 where another rank has the element
};

/// Point of the grid in element j of a checksum, j from 1 to kElements.
struct Point {
  int x, y, z;
};
Point element_of_checksum(const Size &size, int j);

/// A number that depends on every bit of a field in the order of Checksums, but not on its decomposition. Collective.
std::uint64_t fingerprint_of(const Size &size, const Box &box, const Complex *field);

}  // namespace fft
