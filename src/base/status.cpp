// The thread's error message and its three sources: printf text, MPI's own text, nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.hpp"

#include <cstdarg>
#include <cstdio>

namespace halocline {

std::string &error_message() {
  thread_local std::string message;
  return message;
}

Status fail(Status status, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  error_message() = text;
  return status;
}

Status check_mpi(int code, const char *call) {
  if (code == MPI_SUCCESS) return Status::ok;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail(Status::mpi, "%s: %s", call, text);
}

}  // namespace halocline
