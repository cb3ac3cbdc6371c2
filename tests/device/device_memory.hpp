// The stand-in for CUDA's driver, loaded when it is first asked for, and memory that it calls a device's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>

#include "support/mpi_test.hpp"

extern "C" {
#include "device/stand_in.h"
}

namespace halocline::test {

/// The stand-in's functions; null until it is loaded.
struct Driver {
  decltype(&stand_in_cuda_name) name = nullptr;
  decltype(&stand_in_cuda_forget) forget = nullptr;
  decltype(&stand_in_cuda_asked) asked = nullptr;
  decltype(&cuInit) init = nullptr;
};

template <class Function>
void find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  ASSERT_NE(function, nullptr) << name;
}

inline Driver load_driver() {
  Driver driver;
  void *library = dlopen(HALOCLINE_CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (!library) return driver;
  find(library, "stand_in_cuda_name", driver.name);
  find(library, "stand_in_cuda_forget", driver.forget);
  find(library, "stand_in_cuda_asked", driver.asked);
  find(library, "cuInit", driver.init);
  return driver;
}

inline const Driver &driver() {
  static const Driver loaded = load_driver();
  return loaded;
}

/// Memory that the host cannot access, as a device's: a load or store ends the process.
class DeviceMemory {
 public:
  explicit DeviceMemory(int ordinal = 0) : data_(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_NE(data_, MAP_FAILED);
    driver().init(0);
    driver().name(data_, kBytes, STAND_IN_DEVICE, ordinal);
  }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory() {
    driver().forget();
    munmap(data_, kBytes);
  }
  /// Not where the allocation begins.
  void *data() const { return static_cast<char *>(data_) + 4096; }

 private:
  static constexpr std::size_t kBytes = 1 << 16;
  void *data_;
};

}  // namespace halocline::test
