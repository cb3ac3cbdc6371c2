// Random numbers that belong to a site of the whole lattice, whichever rank asks for them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "su3.hpp"

#include <cstdint>

namespace lattice {

/// What the numbers are for.
enum class Purpose : std::uint64_t { link = 1, source, transformation };

/// A stream of numbers: splitmix64, begun with a hash of all that names it.
class SiteRandom {
 public:
  /// site: the number of the site in the whole lattice; direction: 0 where there is none.
  SiteRandom(std::uint64_t seed, Purpose purpose, std::int64_t site, int direction = 0);
  /// Equally likely in (0, 1].
  double uniform();
  /// Two independent normal numbers.
  Complex<double> gaussian();

 private:
  std::uint64_t next();

  std::uint64_t state_;
};

/// Special unitary; disorder 0: the unit matrix; otherwise 1 + disorder x normal numbers, reunitarised; infinite: all equally likely.
Matrix<double> random_su3(SiteRandom random, double disorder);
Vector<double> random_vector(SiteRandom random);

}  // namespace lattice
