// A way to communicate: mode of swaps, sums, particles.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <string>

namespace pic {

struct Variant {
  std::string name;
  halocline::Mode mode, reverse_mode;
  std::string sums, particles;
};

/// "MODE:SUMS:PARTICLES", where MODE may be "MODE+MODE", the second one for reverse swaps. What is left out is "overlapped" and "sparse".
/// Throws halocline::Error with the library's words on a mode.
inline Variant variant_of(const std::string &name) {
  const std::size_t first = name.find(':');
  const std::size_t second = first == std::string::npos ? first : name.find(':', first + 1);
  const std::string modes = name.substr(0, first);
  const std::size_t plus = modes.find('+');
  const halocline::Mode mode = halocline::mode_from_name(modes.substr(0, plus));
  const halocline::Mode reverse = plus == std::string::npos ? mode : halocline::mode_from_name(modes.substr(plus + 1));
  Variant variant{name, mode, reverse, "overlapped", "sparse"};
  if (first != std::string::npos) variant.sums = name.substr(first + 1, second == std::string::npos ? second : second - first - 1);
  if (second != std::string::npos) variant.particles = name.substr(second + 1);
  return variant;
}

}  // namespace pic
