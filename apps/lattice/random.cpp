// SPDX-License-Identifier: BSD-3-Clause
#include "random.hpp"

namespace lattice {

SiteRandom::SiteRandom(std::uint64_t seed, Purpose purpose, std::int64_t site, int direction) : state_(seed) {
  for (const std::uint64_t name :
       {static_cast<std::uint64_t>(purpose), static_cast<std::uint64_t>(site), static_cast<std::uint64_t>(direction)})
    state_ = next() ^ name;
}

std::uint64_t SiteRandom::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t word = state_;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

double SiteRandom::uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

Complex<double> SiteRandom::gaussian() {
  constexpr double full_circle = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(uniform())), angle = full_circle * uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

Matrix<double> random_su3(SiteRandom random, double disorder) {
  const bool all = std::isinf(disorder);
  Matrix<double> m = all ? Matrix<double>{} : unit<double>();
  for (auto &row : m.e)
    for (Complex<double> &value : row) value = value + (all ? 1 : disorder) * random.gaussian();
  return reunitarised(m);
}

Vector<double> random_vector(SiteRandom random) {
  Vector<double> v;
  for (Complex<double> &value : v.c) value = random.gaussian();
  return v;
}

}  // namespace lattice
