// Places, extents and directions in three dimensions: x, y, z, of which x is contiguous in memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace ghost {

using Index = std::array<std::int64_t, 3>;

/// Directions are numbered 0 to 26, x fastest; 13 is the block itself.
inline constexpr int kDirections = 27, kMiddle = 13;

inline Index direction(int number) { return {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1}; }
/// The number of the direction from the neighbour back to me.
inline int opposite(int number) { return kDirections - 1 - number; }

/// How many sides of the block a direction crosses.
inline int crossed(const Index &v) { return (v[0] != 0) + (v[1] != 0) + (v[2] != 0); }

inline std::int64_t volume(const Index &n) { return n[0] * n[1] * n[2]; }

/// The extents of the cells that a block of n cells shows to its neighbour in direction v, one cell deep.
inline Index face(const Index &n, const Index &v) { return {v[0] ? 1 : n[0], v[1] ? 1 : n[1], v[2] ? 1 : n[2]}; }

}  // namespace ghost
