// Text by a format, for lines of reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace halocline::core {

/// At most 511 characters; what is longer is cut off.
[[gnu::format(printf, 1, 2)]] inline std::string printed(const char *format, ...) {
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

}  // namespace halocline::core
