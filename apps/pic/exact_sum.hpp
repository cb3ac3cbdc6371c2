// Sums whose result does not depend on the order of their terms, and so on neither ranks nor modes. A term is split into multiples of fixed
// units, and sums of multiples of one unit are exact as long as they fit a double's 53 bits (after Demmel and Nguyen).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>

namespace pic {

/// Rounds terms to multiples of a unit, 2^-52 of the largest sum, so that they can be added in any order.
class Rounded {
 public:
  /// Sums up to `most` in size are exact, of terms up to half of that.
  explicit Rounded(double most) {
    int exponent = 0;
    static_cast<void>(std::frexp(most, &exponent));
    most_ = std::ldexp(1.0, exponent);
    shift_ = 1.5 * most_;
  }
  double operator()(double value) const { return (value + shift_) - shift_; }
  double most() const { return most_; }

 private:
  double most_, shift_;
};

/// A sum of up to 2^24 terms of up to 2^29 in size. What is below 2^-120 of a term is lost.
struct ExactSum {
  static constexpr int kLevels = 5;
  static constexpr double kUnits[kLevels] = {0x1p1, 0x1p-29, 0x1p-59, 0x1p-89, 0x1p-119};

  double level[kLevels] = {};

  void add(double term) {
    for (int i = 0; i < kLevels; ++i) {
      const double shift = 0x1.8p52 * kUnits[i];
      const double part = (term + shift) - shift;
      level[i] += part;
      term -= part;
    }
  }
  void add(const ExactSum &other) {
    for (int i = 0; i < kLevels; ++i) level[i] += other.level[i];
  }
  double value() const {
    double sum = 0;
    for (int i = kLevels - 1; i >= 0; --i) sum += level[i];
    return sum;
  }
};

/// The sum of a[i] b[i]. Four sums side by side, so that the compiler can use vector registers.
inline ExactSum dot(const double *a, const double *b, std::size_t count) {
  constexpr std::size_t kLanes = 4;
  double levels[ExactSum::kLevels][kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    double term[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) term[l] = a[i + l] * b[i + l];
    for (int k = 0; k < ExactSum::kLevels; ++k) {
      const double shift = 0x1.8p52 * ExactSum::kUnits[k];
      for (std::size_t l = 0; l < kLanes; ++l) {
        const double part = (term[l] + shift) - shift;
        levels[k][l] += part;
        term[l] -= part;
      }
    }
  }
  ExactSum sum;
  for (int k = 0; k < ExactSum::kLevels; ++k)
    for (std::size_t l = 0; l < kLanes; ++l) sum.level[k] += levels[k][l];
  for (; i < count; ++i) sum.add(a[i] * b[i]);
  return sum;
}

}  // namespace pic
