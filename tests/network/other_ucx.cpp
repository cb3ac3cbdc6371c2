// Emulates a UCX that cannot be used: version 1.9, or 1.HALOCLINE_TEST_UCX, without the functions that the library needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release) {
  const char *const wished = std::getenv("HALOCLINE_TEST_UCX");
  *major = 1;
  *minor = wished ? static_cast<unsigned>(std::atoi(wished)) : 9;
  *release = 0;
}
