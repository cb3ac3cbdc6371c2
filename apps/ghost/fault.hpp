// Faults that a test asks for: only the program built with GHOST_FAULTS has them, so that the tests can see that they would notice. Which
// one, the environment says: GHOST_FAULT=ready, done or barrier (that wait is left out), halo (one message is not unpacked), cell (one bit
// flips).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef GHOST_FAULTS
#include <cstdlib>
#include <cstring>
#endif

namespace ghost {

#ifdef GHOST_FAULTS
inline bool has_fault(const char *name) {
  static const char *const asked = std::getenv("GHOST_FAULT");
  return asked && std::strcmp(asked, name) == 0;
}
#else
constexpr bool has_fault(const char *) { return false; }
#endif

}  // namespace ghost
