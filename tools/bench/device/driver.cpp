// SPDX-License-Identifier: BSD-3-Clause
#include "bench/device/driver.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace bench::cuda {

namespace {

template <class Function>
bool find(void *library, const char *name, Function &function, std::string &missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) missing = name;
  return function != nullptr;
}

void check(const char *function, int result) {
  if (result != 0) throw std::runtime_error(std::string(function) + " of CUDA's driver returned " + std::to_string(result));
}

}  // namespace

std::string Driver::open(int number) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return "CUDA's driver, libcuda.so.1, is not there";
  std::string missing;
  const bool all = find(library, "cuInit", init_, missing) && find(library, "cuDeviceGetCount", count_, missing) &&
                   find(library, "cuDeviceGet", get_, missing) && find(library, "cuDeviceGetName", get_name_, missing) &&
                   find(library, "cuDevicePrimaryCtxRetain", retain_, missing) &&
                   find(library, "cuDevicePrimaryCtxRelease_v2", release_, missing) &&
                   find(library, "cuCtxSetCurrent", set_current_, missing) && find(library, "cuMemAlloc_v2", alloc_, missing) &&
                   find(library, "cuMemFree_v2", free_, missing) && find(library, "cuMemHostAlloc", host_alloc_, missing) &&
                   find(library, "cuMemFreeHost", host_free_, missing) && find(library, "cuStreamCreate", stream_create_, missing) &&
                   find(library, "cuStreamDestroy_v2", stream_destroy_, missing) &&
                   find(library, "cuStreamSynchronize", stream_wait_, missing) && find(library, "cuMemcpy3DAsync_v2", copy_, missing);
  if (!all) return "libcuda.so.1 has no " + missing;
  if (const int result = init_(0); result != 0) return "cuInit of CUDA's driver returned " + std::to_string(result);
  if (count_(&devices_) != 0 || devices_ == 0) return "CUDA's driver finds no device";
  char words[256] = "";
  if (get_(&device_, number % devices_) != 0 || get_name_(words, sizeof words - 1, device_) != 0)
    return "CUDA's driver does not give its device away";
  name_ = words;
  if (const int result = retain_(&context_, device_); result != 0)
    return "cuDevicePrimaryCtxRetain of CUDA's driver returned " + std::to_string(result);
  check("cuCtxSetCurrent", set_current_(context_));
  return "";
}

Driver::~Driver() {
  if (!context_) return;
  set_current_(nullptr);
  release_(device_);
}

Address Driver::allocate(std::size_t bytes) const {
  Address address = 0;
  check("cuMemAlloc", alloc_(&address, bytes));
  return address;
}

void Driver::free(Address address) const noexcept { static_cast<void>(free_(address)); }

void *Driver::allocate_pinned(std::size_t bytes) const {
  void *memory = nullptr;
  check("cuMemHostAlloc", host_alloc_(&memory, bytes, 0));
  return memory;
}

void Driver::free_pinned(void *memory) const noexcept { static_cast<void>(host_free_(memory)); }

Stream Driver::make_stream() const {
  Stream stream = nullptr;
  check("cuStreamCreate", stream_create_(&stream, 0));
  return stream;
}

void Driver::destroy(Stream stream) const noexcept { static_cast<void>(stream_destroy_(stream)); }
void Driver::copy(const Copy &what, Stream stream) const { check("cuMemcpy3DAsync", copy_(&what, stream)); }
void Driver::wait(Stream stream) const { check("cuStreamSynchronize", stream_wait_(stream)); }

}  // namespace bench::cuda
