// CUDA's driver as a program without CUDA's headers calls it: names and layouts of its documentation.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace bench::cuda {

using Address = unsigned long long;
using Context = struct ContextHandle *;
using Stream = struct StreamHandle *;

/// CUDA_MEMCPY3D.
struct Side {
  std::size_t x_bytes, y, z, level;
  unsigned type;  ///< CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE
  void *host;
  Address device;
  void *array, *reserved;
  std::size_t pitch, height;
};
struct Copy {
  Side from, to;
  std::size_t width_bytes, height, depth;
};
inline constexpr unsigned kHost = 1, kDevice = 2;

/// The functions that are called, and the device's primary context, which is current while this lives.
class Driver {
 public:
  Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  ~Driver();

  /// Loads it, and takes a device: that of this number, of those that there are in turn. Returns why there is none; empty: there is one.
  std::string open(int number);
  int device() const { return device_; }
  int devices() const { return devices_; }
  const std::string &name() const { return name_; }

  // Each throws std::runtime_error with the function's name and what it returned.
  Address allocate(std::size_t bytes) const;
  void free(Address address) const noexcept;
  void *allocate_pinned(std::size_t bytes) const;
  void free_pinned(void *memory) const noexcept;
  Stream make_stream() const;
  void destroy(Stream stream) const noexcept;
  void copy(const Copy &what, Stream stream) const;
  void wait(Stream stream) const;

 private:
  int (*init_)(unsigned) = nullptr;
  int (*count_)(int *) = nullptr;
  int (*get_)(int *, int) = nullptr;
  int (*get_name_)(char *, int, int) = nullptr;
  int (*retain_)(Context *, int) = nullptr;
  int (*release_)(int) = nullptr;
  int (*set_current_)(Context) = nullptr;
  int (*alloc_)(Address *, std::size_t) = nullptr;
  int (*free_)(Address) = nullptr;
  int (*host_alloc_)(void **, std::size_t, unsigned) = nullptr;
  int (*host_free_)(void *) = nullptr;
  int (*stream_create_)(Stream *, unsigned) = nullptr;
  int (*stream_destroy_)(Stream) = nullptr;
  int (*stream_wait_)(Stream) = nullptr;
  int (*copy_)(const Copy *, Stream) = nullptr;

  int device_ = 0, devices_ = 0;
  std::string name_;
  Context context_ = nullptr;
};

}  // namespace bench::cuda
