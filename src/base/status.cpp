// The thread's error message.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace halocline::core {
namespace {

// Not a std::string: reporting that memory has run out must not allocate.
thread_local char message[1024] = "";

}  // namespace

const char *error_message() { return message; }

Status fail(Status status, const char *format, ...) {
  char text[sizeof message];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::memcpy(message, text, sizeof text);
  return status;
}

}  // namespace halocline::core
