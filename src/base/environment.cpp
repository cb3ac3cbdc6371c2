// Reading HALOCLINE_ variables, with an error that names the variable and its value.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"

#include <cerrno>
#include <cstdlib>

namespace halocline {

std::string environment(const char *name) {
  const char *text = std::getenv((std::string("HALOCLINE_") + name).c_str());
  return text ? text : "";
}

Status environment_number(const char *name, long &value) {
  const std::string text = environment(name);
  if (text.empty()) return Status::ok;
  char *end = nullptr;
  errno = 0;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (*end != '\0' || errno != 0 || number < 0)
    return fail(Status::argument, "HALOCLINE_%s is '%s', it must be a whole number, 0 or more", name, text.c_str());
  value = number;
  return Status::ok;
}

}  // namespace halocline
