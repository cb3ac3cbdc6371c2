// Where in a field a piece of memory is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core {

/// The field that contains a piece of memory, and the offset in it; serial < 0: none does.
struct FieldPlace {
  std::int64_t serial = -1;
  std::int64_t offset = 0;
};

}  // namespace halocline::core
