// CUDA's driver: the functions that the library calls, and what their results mean. It is found at run time, and only if the program has
// loaded it. No header of CUDA is needed: names, numbers and layouts are those of its documentation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  const char *name;
  Function call = nullptr;
};

/// The table of functions. All are found, or the driver is not used; but one that is too old for the last ones tells at least what memory is.
struct Driver {
  Entry<Result (*)(unsigned, int *, void **, Address)> pointer_get_attributes{"cuPointerGetAttributes"};
  Entry<Result (*)(Result, const char **)> get_error_name{"cuGetErrorName"};
  Entry<Result (*)(Ordinal *, int)> device_get{"cuDeviceGet"};
  Entry<Result (*)(Context *, Ordinal)> primary_context_retain{"cuDevicePrimaryCtxRetain"};
  Entry<Result (*)(Ordinal)> primary_context_release{"cuDevicePrimaryCtxRelease_v2"};
  Entry<Result (*)(Context)> context_push{"cuCtxPushCurrent_v2"};
  Entry<Result (*)(Context *)> context_pop{"cuCtxPopCurrent_v2"};
  Entry<Result (*)(Stream *, unsigned)> stream_create{"cuStreamCreate"};
  Entry<Result (*)(Stream)> stream_destroy{"cuStreamDestroy_v2"};
  Entry<Result (*)(Stream)> stream_synchronize{"cuStreamSynchronize"};
  Entry<Result (*)(Event *, unsigned)> event_create{"cuEventCreate"};
  Entry<Result (*)(Event)> event_destroy{"cuEventDestroy_v2"};
  Entry<Result (*)(Event, Stream)> event_record{"cuEventRecord"};
  Entry<Result (*)(Stream, Event, unsigned)> stream_wait_event{"cuStreamWaitEvent"};
  Entry<Result (*)(void **, std::size_t, unsigned)> host_alloc{"cuMemHostAlloc"};
  Entry<Result (*)(void *)> host_free{"cuMemFreeHost"};
  Entry<Result (*)(const Copy3d *, Stream)> copy_3d{"cuMemcpy3DAsync_v2"};

  // Of these a driver may have none: then no process reads the memory of another.
  Entry<Result (*)(IpcHandle *, Address)> ipc_get{"cuIpcGetMemHandle"};
  Entry<Result (*)(Address *, IpcHandle, unsigned)> ipc_open{"cuIpcOpenMemHandle_v2"};
  Entry<Result (*)(Address)> ipc_close{"cuIpcCloseMemHandle"};
  bool has_ipc() const { return ipc_get.call && ipc_open.call && ipc_close.call; }

  const char *missing = nullptr;  // the first function that the library lacks

  /// "CUDA_ERROR_... (2)".
  std::string words_of(Result result) const;
  /// HLC_ERR_DEVICE, or HLC_ERR_MEMORY: "hlc_call on rank 1: cuMemHostAlloc of CUDA's driver returned CUDA_ERROR_... (2), ...".
  Status error(const Caller &caller, const char *function, int device, Result result) const;
  template <class Function>
  Status check(const Caller &caller, const Entry<Function> &entry, int device, Result result) const {
    return result == kSuccess ? Status::ok : error(caller, entry.name, device, result);
  }
};

/// Finds the driver if the program has loaded it. Where plans are created; a few microseconds, and none once it is found.
void look_for_driver();
/// NULL until it has been found. Any thread may call.
const Driver *driver();

}  // namespace halocline::core::device
