// Copying bytes that are mapped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halocline::core {

/// The most frequent size needs no call.
inline void copy_bytes(void *to, const void *from, std::int64_t bytes) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes > 0)
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace halocline::core
