// Reports on stderr that are written once.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "base/environment.hpp"

namespace halocline::core {
namespace {

using Subject = std::pair<const char *, const char *>;
constexpr std::size_t kMaxReports = 64;  // more than there are modes and reasons; avoids allocation

}  // namespace

void report_once(const char *mode, const char *reason, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  static std::mutex mutex;
  static std::array<Subject, kMaxReports> written;
  static std::size_t count = 0;
  const std::lock_guard lock(mutex);
  const auto end = written.begin() + static_cast<std::ptrdiff_t>(count);
  if (*environment("QUIET") != '\0' || count == kMaxReports || std::find(written.begin(), end, Subject(mode, reason)) != end) return;
  written[count++] = {mode, reason};
  std::fprintf(stderr, "halocline: %s\n", text);
}

void report_rule(const std::string &kind, const std::string &text) {
  constexpr int most = 5;
  static std::mutex mutex;
  static std::map<std::string, int> written;
  const std::lock_guard lock(mutex);
  const int number = ++written[kind];
  if (number <= most) std::fprintf(stderr, "halocline: HALOCLINE_CHECK: %s\n", text.c_str());
  if (number == most)
    std::fprintf(stderr, "halocline: HALOCLINE_CHECK: %d broken rules of this kind (%s) in this process; further ones are not reported\n",
                 most, kind.c_str());
}

}  // namespace halocline::core
