// Random numbers that depend on what they are for alone, so that no order of events changes them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

namespace simulate {

/// Mixes the bits of a number. Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014 (SplitMix64).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// A number that belongs to a seed and two others.
inline std::uint64_t random_of(std::uint64_t seed, std::int64_t a, std::int64_t b) {
  return mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(a)) ^ static_cast<std::uint64_t>(b));
}

/// Evenly distributed in (0, 1].
inline double uniform(std::uint64_t seed, std::int64_t a, std::int64_t b) {
  return (static_cast<double>(random_of(seed, a, b) >> 11) + 1) / 9007199254740992.0;
}

/// Exponentially distributed with mean 1.
inline double exponential(std::uint64_t seed, std::int64_t a, std::int64_t b) { return -std::log(uniform(seed, a, b)); }

}  // namespace simulate
