// Emulates a libfabric that is too old: version 1.5, and every other call refused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED std::uint32_t fi_version() { return 1u << 16 | 5; }
EXPORTED int fi_getinfo() { return -1; }
EXPORTED void *fi_dupinfo() { return nullptr; }
EXPORTED void fi_freeinfo() {}
EXPORTED int fi_fabric() { return -1; }
EXPORTED const char *fi_strerror() { return "an old library"; }
