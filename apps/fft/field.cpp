// Sources: Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, section 2.4 (FT) and section 2.3 (the random numbers).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "field.hpp"

#include <mpi.h>

#include <common/comparison.hpp>

#include <cmath>

namespace fft {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kAlpha = 1e-6;

/// NPB's linear congruential generator: x becomes 5^13 x mod 2^46, and the number is x / 2^46. It begins with seed 314159265.
class Random {
 public:
  /// The sequence after some numbers have been drawn.
  explicit Random(std::int64_t drawn) : x_(kSeed) {
    for (std::uint64_t factor = kFactor; drawn > 0; drawn /= 2) {
      if (drawn % 2 == 1) x_ = times(x_, factor);
      factor = times(factor, factor);
    }
  }
  double next() {
    x_ = times(x_, kFactor);
    return std::ldexp(static_cast<double>(x_), -kBits);
  }

 private:
  static constexpr int kBits = 46;
  static constexpr std::uint64_t kSeed = 314159265, kFactor = 1220703125;  // 5^13
  /// 2^46 divides 2^64, by which unsigned products are reduced.
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) { return (a * b) & ((std::uint64_t{1} << kBits) - 1); }

  std::uint64_t x_;
};

/// The factors of a direction with n points: wave numbers above n/2 are negative ones.
std::vector<double> factors_of(int n, Range range) {
  std::vector<double> factors;
  for (int i = range.first; i < range.first + range.count; ++i) {
    const double k = i >= (n + 1) / 2 ? i - n : i;
    factors.push_back(std::exp(-4 * kAlpha * kPi * kPi * k * k));
  }
  return factors;
}

/// The finaliser of splitmix64.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

}  // namespace

std::vector<Complex> initial_field(const Size &size, const Box &box) {
  std::vector<Complex> field;
  field.reserve(static_cast<std::size_t>(box.points()));
  for (int z = box.z.first; z < box.z.first + box.z.count; ++z)
    for (int y = box.y.first; y < box.y.first + box.y.count; ++y) {
      Random random(2 * ((std::int64_t{z} * size.y + y) * size.x + box.x.first));
      for (int x = 0; x < box.x.count; ++x) {
        const double real = random.next();
        field.emplace_back(real, random.next());
      }
    }
  return field;
}

Evolution::Evolution(const Size &size, const Box &box)
    : x_(factors_of(size.x, box.x)), y_(factors_of(size.y, box.y)), z_(factors_of(size.z, box.z)) {}

void Evolution::step(int plane, Complex *values) const {
  for (const double z : z_) {
    const double row = z * y_[static_cast<std::size_t>(plane)];
    for (const double x : x_) *values++ *= row * x;
  }
}

Point element_of_checksum(const Size &size, int j) { return {j % size.x, 3 * j % size.y, 5 * j % size.z}; }

Checksums::Checksums(const Size &size, const Box &box, int iterations)
    : points_(static_cast<double>(size.points())), values_(static_cast<std::size_t>(iterations) * kElements) {
  for (int j = 1; j <= kElements; ++j) {
    const Point at = element_of_checksum(size, j);
    if (!box.x.has(at.x) || !box.y.has(at.y) || !box.z.has(at.z)) continue;
    const std::int64_t row = std::int64_t{at.y - box.y.first} * box.z.count + at.z - box.z.first;
    mine_.push_back({j - 1, row * box.x.count + at.x - box.x.first});
  }
}

void Checksums::collect(int iteration, const Complex *field) {
  Complex *const values = &values_[static_cast<std::size_t>(iteration) * kElements];
  for (const Element &element : mine_) values[element.number] = field[element.place];
}

std::vector<Complex> Checksums::sums() const {
  std::vector<Complex> all(values_.size()), sums;
  // Each element is added to zeros.
  MPI_Allreduce(values_.data(), all.data(), static_cast<int>(2 * all.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (std::size_t first = 0; first < all.size(); first += kElements) {
    Complex sum = 0;
    for (std::size_t i = first; i < first + kElements; ++i) sum += all[i];
    sums.push_back(sum / points_);
  }
  return sums;
}

std::uint64_t fingerprint_of(const Size &size, const Box &box, const Complex *field) {
  std::uint64_t sum = 0;
  for (int y = box.y.first; y < box.y.first + box.y.count; ++y)
    for (int z = box.z.first; z < box.z.first + box.z.count; ++z)
      for (int x = box.x.first; x < box.x.first + box.x.count; ++x, ++field) {
        const std::int64_t place = (std::int64_t{z} * size.y + y) * size.x + x;
        const std::uint64_t real = mixed(static_cast<std::uint64_t>(place) ^ common::bits(field->real()));
        sum += mixed(real ^ common::bits(field->imag()));
      }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

}  // namespace fft
