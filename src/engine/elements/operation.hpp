// The operations of accumulates, by their names in MPI, and what they are applied to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core::elements {

/// The predefined operations, by their names in MPI.
enum class Operation : std::uint8_t {
  sum,
  prod,
  min,
  max,
  land,
  lor,
  lxor,
  band,
  bor,
  bxor,
  minloc,
  maxloc,
  replace,
  no_op,
  count_,
  none = count_
};

/// How an operation on the target is kept apart from those of others at the same time.
enum class Access : std::uint8_t {
  atomic,  // element by element, by the processor's atomic instructions
  exclusive  // the caller keeps others from changing the target. Loops that the compiler vectorises
};

struct Accumulate {
  Operation op;
  Access access;
};

struct Swap {
  const void *expected;
  const void *value;
  void *result;
};
/// Elements of one type at regular distances. `result` gets what the target was, unless it is null; for no_op the origin is not read.
struct Row {
  char *target;
  const char *origin;
  char *result;
  std::int64_t target_stride;
  std::int64_t origin_stride;
  std::int64_t result_stride;
  std::int64_t count;
};

}  // namespace halocline::core::elements
