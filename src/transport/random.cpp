// Random numbers by getrandom, and the handling of its failure.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace halocline::core::transport {
namespace {

/// Retries after a signal, which may interrupt getrandom while the system's generator is not initialised yet.
bool draw(std::uint64_t *bits) {
  ssize_t drawn = -1;
  do drawn = getrandom(bits, sizeof *bits, 0);
  while (drawn < 0 && errno == EINTR);
  return drawn == sizeof *bits;
}

}  // namespace

Status find_random_bits() {
  std::uint64_t bits = 0;
  if (draw(&bits)) return Status::ok;
  return fail(Status::unsupported, "the system has no random numbers for keys and secrets: %s", std::strerror(errno));
}

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (!draw(&bits)) std::abort();  // no longer available since the endpoint was opened
  return bits;
}

}  // namespace halocline::core::transport
