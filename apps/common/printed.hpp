// Whether all that a program has printed went where it should. Nothing of the library is needed, so that all programs include it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace common {

/// What a program ends with that has printed its last: `status`, or, where its standard output could not be written, `failed` after a message.
inline int end_of_output(const char *program, int status, int failed = 2) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written) return status;
  std::fprintf(stderr, "%s: standard output can't be written: %s\n", program, errno != 0 ? std::strerror(errno) : "is the disk full?");
  return status != 0 ? status : failed;
}

}  // namespace common
