// Which shared library is Halocline: tests that wrap functions of the system look for its calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

namespace halocline::test {

/// True for the file of libhalocline, and of the core that it shares with the faces. Allocates nothing.
inline bool is_halocline(const char *file) {
  if (!file) return false;
  const char *slash = std::strrchr(file, '/');
  const char *name = slash ? slash + 1 : file;
  return std::strncmp(name, "libhalocline.so", 15) == 0 || std::strncmp(name, "libhalocline_core.so", 20) == 0;
}

}  // namespace halocline::test
