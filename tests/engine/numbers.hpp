// Numbers of all types for tests of atomics: random ones, and the results of the operations by plain arithmetic.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <halocline/segment.h>

#include "support/skew.hpp"

namespace halocline::test {

template <class T>
constexpr hlc_number number_of() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (std::is_same_v<T, float>) return HLC_NUMBER_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return HLC_NUMBER_FLOAT64;
  if constexpr (sizeof(T) == 1) return is_signed ? HLC_NUMBER_INT8 : HLC_NUMBER_UINT8;
  if constexpr (sizeof(T) == 2) return is_signed ? HLC_NUMBER_INT16 : HLC_NUMBER_UINT16;
  if constexpr (sizeof(T) == 4) return is_signed ? HLC_NUMBER_INT32 : HLC_NUMBER_UINT32;
  return is_signed ? HLC_NUMBER_INT64 : HLC_NUMBER_UINT64;
}

/// Any bits for integers; whole numbers and halves, some negative, for floating point.
template <class T>
T draw(Random &random) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random());
  else
    return static_cast<T>(between(random, -2000, 2000)) / 2;
}

/// The oracle. Integers are computed unsigned and truncated.
template <class T>
T expected(hlc_op op, T t, T v) {
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  switch (op) {
    case HLC_OP_SUM: return static_cast<T>(static_cast<Wide>(t) + static_cast<Wide>(v));
    case HLC_OP_PROD: return static_cast<T>(static_cast<Wide>(t) * static_cast<Wide>(v));
    case HLC_OP_MIN: return std::min(t, v);
    case HLC_OP_MAX: return std::max(t, v);
    case HLC_OP_REPLACE: return v;
    case HLC_OP_READ: return t;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == HLC_OP_BAND) return static_cast<T>(t & v);
    if (op == HLC_OP_BOR) return static_cast<T>(t | v);
    if (op == HLC_OP_BXOR) return static_cast<T>(t ^ v);
  }
  return t;
}

}  // namespace halocline::test
