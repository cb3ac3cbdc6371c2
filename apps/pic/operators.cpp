// SPDX-License-Identifier: BSD-3-Clause
#include "operators.hpp"

namespace pic {
namespace {

/// The eight values of one number around a place: index 4 a + 2 b + c for a, b, c above or below along x, y, z.
class Around {
 public:
  Around(const Block &block, const Array &array, To where) : array_(array) {
    const auto shift = static_cast<std::ptrdiff_t>(where) * (block.stride(0) + block.stride(1) + block.stride(2));
    for (int a = 0; a < 8; ++a)
      offset_[a] = shift + (a >> 2) * block.stride(0) + ((a >> 1) & 1) * block.stride(1) + (a & 1) * block.stride(2);
    for (int d = 0; d < 3; ++d) factor_[d] = 0.25 / block.spacing(d);
  }
  /// The difference of a number along x, y or z (0, 1, 2).
  double difference(std::size_t cell, int dim, int number) const {
    constexpr int kAbove[3][4] = {{4, 5, 6, 7}, {2, 3, 6, 7}, {1, 3, 5, 7}};
    const int step = 4 >> dim;
    double above = 0, below = 0;
    for (const int a : kAbove[dim]) {
      above += value(cell, a, number);
      below += value(cell, a - step, number);
    }
    return (above - below) * factor_[dim];
  }
  double mean(std::size_t cell, int number) const {
    double sum = 0;
    for (int a = 0; a < 8; ++a) sum += value(cell, a, number);
    return 0.125 * sum;
  }

 private:
  double value(std::size_t cell, int a, int number) const {
    return array_.at(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + offset_[a]))[number];
  }

  const Array &array_;
  std::ptrdiff_t offset_[8];
  double factor_[3];
};

}  // namespace

void curl(const Block &block, const Array &from, To where, const Range &range, Array &to) {
  const Around f(block, from, where);
  for_range(block, range, [&](std::size_t cell) {
    double *out = to.at(cell);
    out[0] = f.difference(cell, 1, 2) - f.difference(cell, 2, 1);
    out[1] = f.difference(cell, 2, 0) - f.difference(cell, 0, 2);
    out[2] = f.difference(cell, 0, 1) - f.difference(cell, 1, 0);
  });
}

void divergence(const Block &block, const Array &from, To where, const Range &range, Array &to) {
  const Around f(block, from, where);
  for_range(block, range,
            [&](std::size_t cell) { *to.at(cell) = f.difference(cell, 0, 0) + f.difference(cell, 1, 1) + f.difference(cell, 2, 2); });
}

void gradient(const Block &block, const Array &from, To where, const Range &range, Array &to) {
  const Around f(block, from, where);
  for_range(block, range, [&](std::size_t cell) {
    for (int d = 0; d < 3; ++d) to.at(cell)[d] = f.difference(cell, d, 0);
  });
}

void average(const Block &block, const Array &from, To where, const Range &range, Array &to) {
  const Around f(block, from, where);
  for_range(block, range, [&](std::size_t cell) {
    for (int d = 0; d < 3; ++d) to.at(cell)[d] = f.mean(cell, d);
  });
}

}  // namespace pic
