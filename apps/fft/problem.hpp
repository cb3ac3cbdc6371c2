// The problem of NAS FT: sizes, numbers of iterations and official checksums of its classes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace fft {

using Complex = std::complex<double>;

/// Points of the grid in each direction.
struct Size {
  int x = 0, y = 0, z = 0;

  std::int64_t points() const { return std::int64_t{x} * y * z; }
};

/// "64 x 64 x 64"
std::string text_of(const Size &size);

/// A class of the benchmark, with its checksum after each iteration.
struct Class {
  const char *name;
  Size size;
  std::vector<Complex> checksums;
};
const std::vector<Class> &classes();

struct Problem {
  std::string name;  ///< of the class; empty for another size
  Size size;
  int iterations = 0;
  std::vector<Complex> checksums;  ///< that are known, of the first iterations
};

/// Floating-point operations as NPB counts them: those of all iterations, without the first transform.
double operations_of(const Problem &problem);

/// Greatest relative difference of real or imaginary parts of the checksums that both lists have; infinite if one is no number.
double difference_of(const std::vector<Complex> &checksums, const std::vector<Complex> &right);
/// NPB's bound for it.
inline constexpr double kTolerance = 1e-12;

}  // namespace fft
