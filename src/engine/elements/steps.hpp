// The data of a datatype as loops over runs of bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace halocline::core::elements {

/// `count` runs of `bytes` bytes, `stride` bytes apart, the first at `offset`.
struct Strip {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t stride;
};

/// A strip, or, if `end` is not 0, a loop: the steps [first, end) of the same list are done `count` times, `stride` bytes apart. Several
/// loops may have the same body.
struct Step {
  Strip strip;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

/// Steps in the order of the type map. `top` are the last ones, from which the others are reached.
struct Steps {
  std::vector<Step> all;
  std::uint32_t top = 0;    // index of the first step that is done for one element of the datatype
  std::int64_t extent = 0;  // from one element to the next
  int depth = 0;            // loops within loops
};

/// The bytes that an operation touches, relative to its buffer: [begin, end); both are 0 if there are none.
struct Reach {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

}  // namespace halocline::core::elements
