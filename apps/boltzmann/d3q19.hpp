// The model's velocities and weights. Velocity 0 is rest; behind it each velocity is followed by its opposite.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace boltzmann {

inline constexpr int kDims = 3;
inline constexpr int kVelocities = 19;
inline constexpr int kPairs = 9;

inline constexpr int kC[kVelocities][kDims] = {
    {0, 0, 0},  {1, 0, 0}, {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1}, {0, 0, -1},  {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},
    {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

/// 1/3 at rest, 1/18 along an axis, 1/36 along a diagonal. The square of the speed of sound is 1/3.
constexpr double weight(int i) { return i == 0 ? 1.0 / 3 : i <= 6 ? 1.0 / 18 : 1.0 / 36; }

constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }

/// The number of a direction, as the library counts them.
constexpr int direction(int x, int y, int z) { return (x + 1) + 3 * (y + 1) + 9 * (z + 1); }
inline constexpr int kDirections = 27;

constexpr bool velocities_are_paired() {
  for (int i = 0; i < kVelocities; ++i)
    for (int d = 0; d < kDims; ++d)
      if (kC[i][d] != -kC[opposite(i)][d]) return false;
  return true;
}
static_assert(velocities_are_paired());

}  // namespace boltzmann
