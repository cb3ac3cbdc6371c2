// SPDX-License-Identifier: BSD-3-Clause
#include "serial.hpp"

#include "field.hpp"

#include <cmath>

namespace fft {
namespace {

/// A direction of the grid: its points, and how far apart they are.
struct Axis {
  int points;
  std::size_t stride;
};

std::vector<Complex> roots_of(int n, int sign) {
  std::vector<Complex> roots;
  for (int k = 0; k < n; ++k) roots.push_back(std::polar(1.0, sign * 2 * std::acos(-1.0) * k / n));
  return roots;
}

void transform_line(Complex *line, Axis along, const std::vector<Complex> &roots) {
  const auto n = static_cast<std::size_t>(along.points);
  std::vector<Complex> result(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) result[k] += line[j * along.stride] * roots[j * k % n];
  for (std::size_t k = 0; k < n; ++k) line[k * along.stride] = result[k];
}

void transform_lines(std::vector<Complex> &field, Axis along, int sign) {
  const std::vector<Complex> roots = roots_of(along.points, sign);
  const std::size_t length = along.stride * static_cast<std::size_t>(along.points);
  for (std::size_t first = 0; first < field.size(); first += length)
    for (std::size_t i = 0; i < along.stride; ++i) transform_line(&field[first + i], along, roots);
}

void transform_field(std::vector<Complex> &field, const Size &size, int sign) {
  const auto x = static_cast<std::size_t>(size.x), y = static_cast<std::size_t>(size.y);
  transform_lines(field, {size.x, 1}, sign);
  transform_lines(field, {size.y, x}, sign);
  transform_lines(field, {size.z, x * y}, sign);
}

/// Of a field with x fastest and z slowest, after t iterations.
double factor_of(const Size &size, std::size_t place, int t) {
  const auto wave = [](std::size_t i, int n) { return 2 * static_cast<int>(i) >= n ? static_cast<int>(i) - n : static_cast<int>(i); };
  const auto x = static_cast<std::size_t>(size.x), y = static_cast<std::size_t>(size.y);
  const int kx = wave(place % x, size.x), ky = wave(place / x % y, size.y), kz = wave(place / x / y, size.z);
  return std::exp(-4e-6 * std::pow(std::acos(-1.0), 2) * (kx * kx + ky * ky + kz * kz) * t);
}

Complex checksum_of(const std::vector<Complex> &field, const Size &size) {
  Complex sum = 0;
  for (int j = 1; j <= kElements; ++j) {
    const Point at = element_of_checksum(size, j);
    sum += field[(static_cast<std::size_t>(at.z) * static_cast<std::size_t>(size.y) + static_cast<std::size_t>(at.y)) *
                     static_cast<std::size_t>(size.x) +
                 static_cast<std::size_t>(at.x)];
  }
  return sum / static_cast<double>(size.points());
}

}  // namespace

std::vector<Complex> serial_checksums(const Size &size, int iterations) {
  std::vector<Complex> transformed = initial_field(size, {{0, size.x}, {0, size.y}, {0, size.z}}), sums;
  transform_field(transformed, size, -1);
  for (int t = 1; t <= iterations; ++t) {
    std::vector<Complex> field = transformed;
    for (std::size_t place = 0; place < field.size(); ++place) field[place] *= factor_of(size, place, t);
    transform_field(field, size, 1);
    sums.push_back(checksum_of(field, size));
  }
  return sums;
}

}  // namespace fft
