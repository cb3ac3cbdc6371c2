// The stand-in for CUDA's driver, loaded when it is first asked for, and memory that it calls a device's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/mpi_test.hpp"

extern "C" {
#include "device/stand_in.h"
}

/// The name of a function as the driver of this platform has it.
#define DRIVER_NAME(function) DRIVER_NAME_OF(function)
#define DRIVER_NAME_OF(name) #name

namespace halocline::test {

#ifdef HALOCLINE_STAND_IN_HIP
inline constexpr bool kIsHip = true;
inline constexpr const char *kPlatform = "HIP", *kErrorPrefix = "hipError";
inline constexpr const char *kOutOfMemoryName = "hipErrorOutOfMemory",
                            *kMapFailedName = "hipIpcOpenMemHandle of HIP's driver returned hipErrorMapFailed";
#else
inline constexpr bool kIsHip = false;
inline constexpr const char *kPlatform = "CUDA", *kErrorPrefix = "CUDA_ERROR_";
inline constexpr const char *kOutOfMemoryName = "CUDA_ERROR_OUT_OF_MEMORY",
                            *kMapFailedName = "cuIpcOpenMemHandle_v2 of CUDA's driver returned CUDA_ERROR_MAP_FAILED";
#endif
/// "CUDA device 0".
inline std::string named_device(int device) { return std::string(kPlatform) + " device " + std::to_string(device); }

/// The stand-in's functions; null until it is loaded.
struct Driver {
  bool is_stand_in = false;
  decltype(&stand_in_cuda_name) name = nullptr;
  decltype(&stand_in_cuda_forget) forget = nullptr;
  decltype(&stand_in_cuda_asked) asked = nullptr;
  decltype(&stand_in_cuda_calls) calls = nullptr;
  decltype(&stand_in_cuda_fail) fail = nullptr;
  decltype(&stand_in_cuda_failed) failed = nullptr;
  decltype(&stand_in_cuda_broken) broken = nullptr;
  decltype(&stand_in_cuda_rule) rule = nullptr;
  decltype(&stand_in_cuda_forgive) forgive = nullptr;
  decltype(&stand_in_cuda_live) live = nullptr;
  decltype(&stand_in_cuda_ipc) ipc = nullptr;
  decltype(&stand_in_cuda_inside) inside = nullptr;
  decltype(&stand_in_cuda_read) read = nullptr;
  decltype(&cuInit) init = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&cuDevicePrimaryCtxRelease_v2) release = nullptr;
  decltype(&cuCtxGetCurrent) current = nullptr;
  decltype(&cuCtxPushCurrent_v2) push = nullptr;
  decltype(&cuCtxPopCurrent_v2) pop = nullptr;
  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamDestroy_v2) stream_destroy = nullptr;
  decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&cuMemAlloc_v2) alloc = nullptr;
  decltype(&cuMemAllocAsync) pool_alloc = nullptr;
  decltype(&cuMemFree_v2) free = nullptr;
  decltype(&cuMemHostAlloc) host_alloc = nullptr;
  decltype(&cuMemFreeHost) host_free = nullptr;
  decltype(&cuMemcpyHtoD_v2) to_device = nullptr;
  decltype(&cuMemcpyDtoH_v2) to_host = nullptr;
  decltype(&cuMemcpy3DAsync_v2) copy_3d = nullptr;
};

template <class Function>
void find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  ASSERT_NE(function, nullptr) << name;
}

/// A function of the stand-in; a real driver has none, and nothing to say.
template <class Function>
void find_if_there(void *library, const char *name, Function &function, Function otherwise) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) function = otherwise;
}

/// HALOCLINE_TEST_DRIVER=libcuda.so.1: the machine's driver takes the place of the stand-in. See scripts/gpu.py.
inline Driver load_driver() {
  Driver driver;
  const char *const given = std::getenv("HALOCLINE_TEST_DRIVER");
  void *library = dlopen(given ? given : HALOCLINE_CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (!library) return driver;
  driver.is_stand_in = dlsym(library, "stand_in_cuda_live") != nullptr;
  find_if_there(library, "stand_in_cuda_name", driver.name, decltype(driver.name)([](const void *, std::size_t, stand_in_kind, int) {}));
  find_if_there(library, "stand_in_cuda_forget", driver.forget, decltype(driver.forget)([] {}));
  find_if_there(library, "stand_in_cuda_asked", driver.asked, decltype(driver.asked)([] { return 0L; }));
  find_if_there(library, "stand_in_cuda_calls", driver.calls, decltype(driver.calls)([] { return 0L; }));
  find_if_there(library, "stand_in_cuda_fail", driver.fail, decltype(driver.fail)([](long, int) {}));
  find_if_there(library, "stand_in_cuda_failed", driver.failed, decltype(driver.failed)([] { return 0; }));
  find_if_there(library, "stand_in_cuda_broken", driver.broken, decltype(driver.broken)([] { return 0L; }));
  find_if_there(library, "stand_in_cuda_rule", driver.rule, decltype(driver.rule)([] { return ""; }));
  find_if_there(library, "stand_in_cuda_forgive", driver.forgive, decltype(driver.forgive)([] {}));
  find_if_there(library, "stand_in_cuda_live", driver.live, decltype(driver.live)([] { return 0L; }));
  find_if_there(library, "stand_in_cuda_ipc", driver.ipc, decltype(driver.ipc)([](stand_in_ipc) {}));
  find_if_there(library, "stand_in_cuda_inside", driver.inside, decltype(driver.inside)([] { return 0L; }));
  find_if_there(library, "stand_in_cuda_read", driver.read, decltype(driver.read)([] { return 0L; }));
  find(library, DRIVER_NAME(cuInit), driver.init);
  find(library, DRIVER_NAME(cuDevicePrimaryCtxRetain), driver.retain);
  find(library, DRIVER_NAME(cuDevicePrimaryCtxRelease_v2), driver.release);
  find(library, DRIVER_NAME(cuCtxGetCurrent), driver.current);
  find(library, DRIVER_NAME(cuCtxPushCurrent_v2), driver.push);
  find(library, DRIVER_NAME(cuCtxPopCurrent_v2), driver.pop);
  find(library, DRIVER_NAME(cuStreamCreate), driver.stream_create);
  find(library, DRIVER_NAME(cuStreamDestroy_v2), driver.stream_destroy);
  find(library, DRIVER_NAME(cuStreamSynchronize), driver.stream_synchronize);
  find(library, DRIVER_NAME(cuMemAlloc_v2), driver.alloc);
  find(library, DRIVER_NAME(cuMemAllocAsync), driver.pool_alloc);
  find(library, DRIVER_NAME(cuMemFree_v2), driver.free);
  find(library, DRIVER_NAME(cuMemHostAlloc), driver.host_alloc);
  find(library, DRIVER_NAME(cuMemFreeHost), driver.host_free);
  find(library, DRIVER_NAME(cuMemcpyHtoD_v2), driver.to_device);
  find(library, DRIVER_NAME(cuMemcpyDtoH_v2), driver.to_host);
  find(library, DRIVER_NAME(cuMemcpy3DAsync_v2), driver.copy_3d);
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

/// What is current in this thread.
inline CUcontext current_context() {
  CUcontext context = nullptr;
  EXPECT_EQ(driver().current(&context), 0);
  return context;
}

/// A device's primary context, current in this thread.
class Current {
 public:
  explicit Current(int device = 0) : device_(device) {
    driver().init(0);
    EXPECT_EQ(driver().retain(&context_, device_), 0);
    EXPECT_EQ(driver().push(context_), 0);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  ~Current() {
    CUcontext ours = nullptr;
    EXPECT_EQ(driver().pop(&ours), 0);
    EXPECT_EQ(ours, context_);
    EXPECT_EQ(driver().release(device_), 0);
  }

 private:
  int device_;
  CUcontext context_ = nullptr;
};

/// Memory from the driver, which copies to it and from it. It may begin so many bytes behind the allocation's first one.
class Allocation {
 public:
  explicit Allocation(std::size_t bytes, bool in_pool = false, std::size_t before = 0) : bytes_(bytes), before_(before) {
    EXPECT_EQ(in_pool ? driver().pool_alloc(&address_, before + bytes, nullptr) : driver().alloc(&address_, before + bytes), 0);
    address_ += before_;
  }
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;
  ~Allocation() { EXPECT_EQ(driver().free(address_ - before_), 0); }

  void *data() const { return reinterpret_cast<void *>(static_cast<std::uintptr_t>(address_)); }
  void write(const void *from) const { EXPECT_EQ(driver().to_device(address_, from, bytes_), 0); }
  void read(void *to) const { EXPECT_EQ(driver().to_host(to, address_, bytes_), 0); }

 private:
  std::size_t bytes_, before_;
  CUdeviceptr address_ = 0;
};

/// While a test runs: at its end everything that it has made is released, and no rule of the driver was broken.
class CleanDriver {
 public:
  CleanDriver() {
    driver().init(0);
    live_ = driver().live();
  }
  CleanDriver(const CleanDriver &) = delete;
  CleanDriver &operator=(const CleanDriver &) = delete;
  ~CleanDriver() {
    EXPECT_EQ(driver().live(), live_) << "something was not released";
    EXPECT_EQ(driver().broken(), 0) << driver().rule();
  }

 private:
  long live_ = 0;
};

}  // namespace halocline::test
