// The most frequent accumulates: one number of a frequent type, under the target's lock, without the loops of longer ones (operations.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "faces/mpi/datatype/elements.hpp"

namespace halocline::mpi {

/// Where one element is changed. `result` gets what it was, unless it is null.
struct Single {
  void *target;
  const void *origin;
  void *result;
};

/// Operations of change_single.
constexpr bool is_frequent(Operation op) { return op == Operation::sum || op == Operation::replace || op == Operation::no_op; }
/// Types of change_single.
constexpr bool is_frequent(Basic number) {
  const Basic type = like_c(number);
  return type == Basic::int64 || type == Basic::uint64 || type == Basic::int32 || type == Basic::uint32 || type == Basic::float64;
}

/// For sums, replacing and reading. The addresses need not be aligned; for no_op the origin is not read.
template <class Number>
bool change_number(Operation op, const Single &where) {
  if (!is_frequent(op)) return false;
  Number old, given{};
  std::memcpy(&old, where.target, sizeof old);
  if (op != Operation::no_op) {
    std::memcpy(&given, where.origin, sizeof given);
    if (op == Operation::sum) given = static_cast<Number>(old + given);
    std::memcpy(where.target, &given, sizeof given);
  }
  if (where.result) std::memcpy(where.result, &old, sizeof old);
  return true;
}

/// False if the type or the operation is not a frequent one. Sums of integers wrap around.
inline bool change_single(Operation op, Basic type, const Single &where) {
  switch (like_c(type)) {
    case Basic::int64:
    case Basic::uint64: return change_number<std::uint64_t>(op, where);
    case Basic::int32:
    case Basic::uint32: return change_number<std::uint32_t>(op, where);
    case Basic::float64: return change_number<double>(op, where);
    default: return false;
  }
}

}  // namespace halocline::mpi
