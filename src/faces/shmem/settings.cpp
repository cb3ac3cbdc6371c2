// Reading SHMEM_ variables.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/settings.hpp"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/types.hpp"

namespace halocline::core::shmem {
namespace {

/// The value of SHMEM_<name>, or of SMA_<name>, which versions before 1.4 read; null if neither is set.
const char *variable(const char *name) {
  char text[64];
  std::snprintf(text, sizeof text, "SHMEM_%s", name);
  if (const char *value = std::getenv(text)) return value;
  std::snprintf(text, sizeof text, "SMA_%s", name);
  return std::getenv(text);
}

/// A variable that is set to anything but 0 or nothing, as versions of the library with such variables take it.
bool is_on(const char *name) {
  const char *value = variable(name);
  return value && *value != '\0' && std::strcmp(value, "0") != 0;
}

int power_of(char suffix) {
  switch (std::tolower(static_cast<unsigned char>(suffix))) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    case 't': return 40;
    default: return 0;
  }
}

}  // namespace

bool read_size(const char *text, std::int64_t *bytes) {
  char *end = nullptr;
  const double number = std::strtod(text, &end);
  if (end == text || !(number >= 0)) return false;
  const int power = power_of(*end);
  if (*end != '\0' && power == 0) return false;
  // The standard: characters after the suffix are ignored.
  const double size = std::ceil(std::ldexp(number, power));
  if (!(size <= static_cast<double>(kMaxBytes))) return false;
  *bytes = static_cast<std::int64_t>(size);
  return true;
}

Status Settings::read() {
  debug = is_on("DEBUG");
  info = is_on("INFO");
  version = is_on("VERSION");
  const char *size = variable("SYMMETRIC_SIZE");
  if (!size || *size == '\0') return Status::ok;
  if (!read_size(size, &heap_bytes))
    return fail(Status::argument,
                "shmem_init: SHMEM_SYMMETRIC_SIZE is '%s' but must be a number of bytes, with a suffix k, m, g or t or without one", size);
  heap_bytes = heap_bytes > 0 ? heap_bytes : 1;
  return Status::ok;
}

void print_settings(const Settings &settings, std::int64_t heap_bytes) {
  std::printf(
      "OpenSHMEM environment variables of Halocline:\n"
      "  SHMEM_SYMMETRIC_SIZE  bytes of the symmetric heap of each PE: %lld%s\n"
      "  SHMEM_DEBUG           reports what the library does: %s\n"
      "  SHMEM_INFO            prints this text: %s\n"
      "  SHMEM_VERSION         prints the version of the library: %s\n",
      static_cast<long long>(heap_bytes), settings.heap_bytes > 0 ? "" : " (default)", settings.debug ? "on" : "off",
      settings.info ? "on" : "off", settings.version ? "on" : "off");
  std::fflush(stdout);
}

}  // namespace halocline::core::shmem
