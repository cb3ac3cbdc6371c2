// The environment variables of the standard: OpenSHMEM 1.5, section 8.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace halocline::core::shmem {

/// SHMEM_SYMMETRIC_SIZE and the rest, or the names of older versions (SMA_SYMMETRIC_SIZE ...).
struct Settings {
  std::int64_t heap_bytes = 0;  // 0: not set
  bool debug = false, info = false, version = false;

  /// Reads the environment; fails for a value that cannot be read.
  Status read();
};

/// Reads a size: a number with or without a fraction, and one of the suffixes k, m, g, t. False if it is none.
bool read_size(const char *text, std::int64_t *bytes);

/// What SHMEM_INFO prints.
void print_settings(const Settings &settings, std::int64_t heap_bytes);

}  // namespace halocline::core::shmem
