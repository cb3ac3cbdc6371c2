// For libraries that intercept libfabric in a test: the real one, and the calls that are only forwarded to it. Such a library is one source
// file that includes this once, and has fi_getinfo and fi_fabric of its own.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <rdma/fabric.h>

#include <cstdint>
#include <cstdlib>

namespace {

/// A rank has loaded the real one already. It leaves the path in the environment for its helper.
inline void *open_real() {
  constexpr const char *name = "HALOCLINE_TEST_REAL_LIBFABRIC";
  const char *told = std::getenv(name);
  void *handle = dlopen(told ? told : "libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  Dl_info info;
  if (handle && dladdr(dlsym(handle, "fi_version"), &info) && info.dli_fname) setenv(name, info.dli_fname, 1);
  return handle;
}

template <class Function>
Function *real(Function *, const char *name) {
  static void *const handle = open_real();
  return reinterpret_cast<Function *>(dlsym(handle, name));
}

}  // namespace

// NOLINTBEGIN: the names and types are libfabric's
#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED std::uint32_t fi_version() { return real(&fi_version, "fi_version")(); }
EXPORTED fi_info *fi_dupinfo(const fi_info *info) { return real(&fi_dupinfo, "fi_dupinfo")(info); }
EXPORTED void fi_freeinfo(fi_info *info) { real(&fi_freeinfo, "fi_freeinfo")(info); }
EXPORTED const char *fi_strerror(int number) { return real(&fi_strerror, "fi_strerror")(number); }
// NOLINTEND
