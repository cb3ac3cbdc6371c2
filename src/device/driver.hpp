// CUDA's driver, or HIP: the functions that the library calls, and what their results mean. They are found at run time, and only if the program
// has loaded them. No header of either is needed: names, numbers and layouts are those of their documentation. HIP's differ where this says so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bounds.hpp"

namespace halocline::core::device {

/// CUresult; 0 is success.
using Result = int;
inline constexpr Result kSuccess = 0, kOutOfMemory = 2;

/// CUdeviceptr, CUcontext, CUstream, CUevent.
using Address = unsigned long long;
using Context = struct ContextHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
/// CUdevice.
using Ordinal = int;

inline Address address_of(const void *data) { return static_cast<Address>(reinterpret_cast<std::uintptr_t>(data)); }

/// CUpointer_attribute.
inline constexpr int kContextOfMemory = 1, kMemoryType = 2, kHostPointer = 4, kDeviceOrdinal = 9, kIsIpcCapable = 10, kRangeStart = 11,
                     kRangeBytes = 12;
/// CUmemorytype.
inline constexpr unsigned kHostMemory = 1, kDeviceMemory = 2;

/// HIP_MEMCPY3D has no reserved member.
struct HipRows {
  std::size_t x_bytes, y, z, level;
  unsigned type;
  void *host;
  Address device;
  void *array;
  std::size_t pitch, height;
};
struct HipCopy3d {
  HipRows from, to;
  std::size_t width_bytes, height, depth;
};
static_assert(sizeof(HipCopy3d) == 184 && offsetof(HipCopy3d, to) == 80);

/// Half of CUDA_MEMCPY3D: rows of bytes in slices, in the host's memory or the device's.
struct Rows {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  unsigned type = 0;
  void *host = nullptr;
  Address device = 0;
  void *array = nullptr, *reserved = nullptr;
  std::size_t pitch = 0, height = 0;  // bytes from row to row, rows from slice to slice
};

/// CUDA_MEMCPY3D.
struct Copy3d {
  Rows from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};
static_assert(sizeof(Copy3d) == 200 && offsetof(Copy3d, to) == 88);

/// CUipcMemHandle: names an allocation to other processes of the node.
struct IpcHandle {
  char bytes[64] = {};
  friend bool operator==(const IpcHandle &, const IpcHandle &) = default;
};

/// A function of the driver. Its name is that of the library's symbol.
template <class Function>
struct Entry {
  const char *name, *hip_name;
  Function call = nullptr;
};

/// The table of functions. All are found, or the driver is not used; but one that is too old for the last ones tells at least what memory is.
struct Driver {
  bool is_hip = false;
  const char *platform = "CUDA";  // as messages call it

  Entry<Result (*)(unsigned, int *, void **, Address)> pointer_get_attributes{"cuPointerGetAttributes", "hipDrvPointerGetAttributes"};
  Entry<Result (*)(Result, const char **)> get_error_name{"cuGetErrorName", "hipDrvGetErrorName"};
  Entry<Result (*)(Ordinal *, int)> device_get{"cuDeviceGet", "hipDeviceGet"};
  Entry<Result (*)(Context *, Ordinal)> primary_context_retain{"cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain"};
  Entry<Result (*)(Ordinal)> primary_context_release{"cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease"};
  Entry<Result (*)(Context *)> context_current{"cuCtxGetCurrent", "hipCtxGetCurrent"};
  Entry<Result (*)(Context)> context_push{"cuCtxPushCurrent_v2", "hipCtxPushCurrent"};
  Entry<Result (*)(Context *)> context_pop{"cuCtxPopCurrent_v2", "hipCtxPopCurrent"};
  Entry<Result (*)(Stream *, unsigned)> stream_create{"cuStreamCreate", "hipStreamCreateWithFlags"};
  Entry<Result (*)(Stream)> stream_destroy{"cuStreamDestroy_v2", "hipStreamDestroy"};
  Entry<Result (*)(Stream)> stream_synchronize{"cuStreamSynchronize", "hipStreamSynchronize"};
  Entry<Result (*)(Event *, unsigned)> event_create{"cuEventCreate", "hipEventCreateWithFlags"};
  Entry<Result (*)(Event)> event_destroy{"cuEventDestroy_v2", "hipEventDestroy"};
  Entry<Result (*)(Event, Stream)> event_record{"cuEventRecord", "hipEventRecord"};
  Entry<Result (*)(Stream, Event, unsigned)> stream_wait_event{"cuStreamWaitEvent", "hipStreamWaitEvent"};
  Entry<Result (*)(Address *, std::size_t)> allocate{"cuMemAlloc_v2", "hipMalloc"};
  Entry<Result (*)(Address)> free{"cuMemFree_v2", "hipFree"};
  Entry<Result (*)(Address, unsigned char, std::size_t)> fill{"cuMemsetD8_v2", "hipMemsetD8"};
  Entry<Result (*)(void **, std::size_t, unsigned)> host_alloc{"cuMemHostAlloc", "hipHostMalloc"};
  Entry<Result (*)(void *)> host_free{"cuMemFreeHost", "hipHostFree"};
  Entry<Result (*)(const void *, Stream)> copy_3d{"cuMemcpy3DAsync_v2", "hipDrvMemcpy3DAsync"};  // Copy3d, or HipCopy3d

  // Of these a driver may have none: then no process reads the memory of another.
  Entry<Result (*)(IpcHandle *, Address)> ipc_get{"cuIpcGetMemHandle", "hipIpcGetMemHandle"};
  Entry<Result (*)(Address *, IpcHandle, unsigned)> ipc_open{"cuIpcOpenMemHandle_v2", "hipIpcOpenMemHandle"};
  Entry<Result (*)(Address)> ipc_close{"cuIpcCloseMemHandle", "hipIpcCloseMemHandle"};
  bool has_ipc() const { return ipc_get.call && ipc_open.call && ipc_close.call; }

  const char *missing = nullptr;  // the first function that the library lacks

  /// Makes a context current in this thread, for leave to end; before: what is current.
  Result enter(Context context, Context &before) const;
  /// Makes current again what was. HIP's own pop takes the context from the stack, but leaves the thread's device as the push has set it.
  Result leave(Context before) const;
  /// Begins a copy in a stream, in the driver's own layout.
  Result copy(const Copy3d &copy, Stream stream) const;
  /// "CUDA_ERROR_... (2)".
  std::string words_of(Result result) const;
  /// HLC_ERR_DEVICE, or HLC_ERR_MEMORY: "hlc_call on rank 1: cuMemHostAlloc of CUDA's driver returned CUDA_ERROR_... (2) on device 0, ...".
  /// A negative device is not named: the caller does not know which one it was.
  Status error(const Caller &caller, const char *function, int device, Result result) const;
  template <class Function>
  Status check(const Caller &caller, const Entry<Function> &entry, int device, Result result) const {
    return result == kSuccess ? Status::ok : error(caller, entry.name, device, result);
  }
};

/// Finds the driver if the program has loaded it. Where plans are created; a few microseconds, and none once it is found.
void look_for_driver();
/// Never unset: the library that its functions are in stays loaded.
extern std::atomic<const Driver *> found_driver;
/// NULL until it has been found. Any thread may call.
inline const Driver *driver() { return found_driver.load(std::memory_order_acquire); }
/// "CUDA device 0", or "HIP device 0".
std::string name_of_device(int device);

}  // namespace halocline::core::device
