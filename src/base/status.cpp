// The thread's error message: printf text, or nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace halocline {
namespace {

// Not a string: that memory has run out must be said without any.
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

}  // namespace halocline
