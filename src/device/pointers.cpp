// What CUDA's driver says of an address. No header of CUDA is needed: the names and numbers below are those of its documentation.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/pointers.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

namespace halocline::core::device {
namespace {

/// cuPointerGetAttributes: how many attributes, which, where the answers go, the address. 0 is success.
using GetAttributes = int (*)(unsigned, int *, void **, unsigned long long);
constexpr int kSuccess = 0;
/// CUpointer_attribute.
constexpr int kMemoryType = 2, kHostPointer = 4, kDeviceOrdinal = 9;
/// CUmemorytype.
constexpr unsigned kDeviceMemory = 2;

/// Never unset: the library that it is in stays loaded.
std::atomic<GetAttributes> get_attributes{nullptr};

}  // namespace

void look_for_driver() {
  if (get_attributes.load(std::memory_order_relaxed)) return;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!driver) return;
  const auto found = reinterpret_cast<GetAttributes>(dlsym(driver, "cuPointerGetAttributes"));
  if (!found) dlclose(driver);
  get_attributes.store(found, std::memory_order_relaxed);
}

/// Memory of a device that the host can access, too, such as managed memory, has an address for the host. Of an address that it does not know
/// the driver leaves the type at 0. It fails if the program has not initialised it: then there is no memory of a device.
int find_device(const void *data) {
  const GetAttributes ask = get_attributes.load(std::memory_order_relaxed);
  if (!ask) return kHost;
  unsigned type = 0;
  int ordinal = 0;
  void *host = nullptr;
  int which[] = {kMemoryType, kHostPointer, kDeviceOrdinal};
  void *answers[] = {&type, &host, &ordinal};
  const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(data));
  if (ask(3, which, answers, address) != kSuccess) return kHost;
  return type == kDeviceMemory && !host ? ordinal : kHost;
}

Status refuse_device(const Caller &caller, const std::string &who, int device) {
  return fail(Status::unsupported,
              "%s on rank %d: %s is in the memory of CUDA device %d, which the library does not swap: pass an array that the host can "
              "access (also pinned or managed memory), and copy to and from the device around the swap",
              caller.call, caller.rank, who.c_str(), device);
}

}  // namespace halocline::core::device
