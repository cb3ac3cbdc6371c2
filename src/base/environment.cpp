// Reading HALOCLINE_ variables, with an error that names the variable and its value.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace halocline::core {

const char *environment(const char *name) {
  char variable[64];
  std::snprintf(variable, sizeof variable, "HALOCLINE_%s", name);
  const char *text = std::getenv(variable);
  return text ? text : "";
}

Status environment_number(const char *who, const char *name, long &value) {
  const char *text = environment(name);
  if (*text == '\0') return Status::ok;
  char *end = nullptr;
  errno = 0;
  const long number = std::strtol(text, &end, 10);
  if (*end != '\0' || errno != 0 || number < 0)
    return fail(Status::argument, "%s: HALOCLINE_%s is '%s' but must be a whole number, 0 or more", who, name, text);
  value = number;
  return Status::ok;
}

Status check_word(const char *who, const char *name, std::initializer_list<const char *> words) {
  const char *text = environment(name);
  char known[64] = "";
  for (const char *word : words) {
    if (std::strcmp(text, word) == 0) return Status::ok;
    const std::size_t used = std::strlen(known);
    std::snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? " or " : "", word);
  }
  return *text == '\0' ? Status::ok : fail(Status::argument, "%s: HALOCLINE_%s is '%s' but must be %s", who, name, text, known);
}

}  // namespace halocline::core
