// The thread's error message.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/status.hpp"

#include <halocline/halocline.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace halocline::core {
namespace {

constexpr bool is(Status status, hlc_status value) { return static_cast<int>(status) == static_cast<int>(value); }
static_assert(is(Status::ok, HLC_OK) && is(Status::again, HLC_AGAIN) && is(Status::argument, HLC_ERR_ARGUMENT) &&
              is(Status::state, HLC_ERR_STATE) && is(Status::memory, HLC_ERR_MEMORY) && is(Status::mismatch, HLC_ERR_MISMATCH) &&
              is(Status::timeout, HLC_ERR_TIMEOUT) && is(Status::peer_died, HLC_ERR_PEER_DIED) && is(Status::mpi, HLC_ERR_MPI) &&
              is(Status::unsupported, HLC_ERR_UNSUPPORTED) && is(Status::rule, HLC_ERR_RULE) && is(Status::device, HLC_ERR_DEVICE));

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
