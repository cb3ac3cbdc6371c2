// Where the values of a reply go: memory of the caller, in strips.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "engine/elements/operations.hpp"
#include "engine/elements/steps.hpp"

namespace halocline::core {

/// Strips from an address on, which take this number of bytes in their order. With 0 bytes nothing is unpacked.
struct Unpacking {
  char *base = nullptr;
  std::int64_t bytes = 0;
  elements::Basic type = elements::Basic::byte;  // of the elements, whose gaps stay as they are
  std::vector<elements::Strip> strips;

  void unpack(const char *values) const {
    for (const elements::Strip &strip : strips) {
      elements::copy_runs(type, {base + strip.offset, values, strip.stride, strip.bytes}, strip.bytes, strip.count);
      values += strip.bytes * strip.count;
    }
  }
};

}  // namespace halocline::core
