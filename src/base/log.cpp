// The once-only reports on stderr.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "base/environment.hpp"

namespace halocline {

void report_once(const std::string &key, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  static std::mutex mutex;
  static std::set<std::string> written;
  const std::lock_guard lock(mutex);
  if (!environment("QUIET").empty() || !written.insert(key).second) return;
  std::fprintf(stderr, "halocline: %s\n", text);
}

}  // namespace halocline
