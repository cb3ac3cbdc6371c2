// NAS FT on one rank by sums as in the definition of the Fourier transform, for sizes of which NPB has no checksums. Slow on purpose.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

namespace fft {

/// The checksums of all iterations.
std::vector<Complex> serial_checksums(const Size &size, int iterations);

/// More points than that take too long.
inline constexpr std::int64_t kMaxSerialPoints = 1 << 17;

}  // namespace fft
