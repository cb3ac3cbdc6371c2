// Reading HALOCLINE_ variables, with an error that names the variable and its value.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace halocline::core {

const char *environment(const char *name) {
  char variable[64];
  std::snprintf(variable, sizeof variable, "HALOCLINE_%s", name);
  const char *text = std::getenv(variable);
  return text ? text : "";
}

Status environment_number(const char *name, int rank, long &value) {
  const char *text = environment(name);
  if (*text == '\0') return Status::ok;
  char *end = nullptr;
  errno = 0;
  const long number = std::strtol(text, &end, 10);
  if (*end != '\0' || errno != 0 || number < 0)
    return fail(Status::argument, "hlc_init on rank %d: HALOCLINE_%s is '%s', it must be a whole number, 0 or more", rank, name, text);
  value = number;
  return Status::ok;
}

}  // namespace halocline::core
