// Allocating, zeroing and freeing.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/allocation.hpp"

#include <algorithm>

#include "device/pointers.hpp"

namespace halocline::core::device {

Status Allocation::make(const Caller &caller, std::int64_t bytes) {
  look_for_driver();
  const Driver *const found = driver();
  if (!found)
    return fail(
        Status::unsupported,
        "%s on rank %d: there is no device: the program has loaded neither CUDA's driver nor HIP; initialise one of them before, or "
        "ask for HLC_MEMORY_HOST",
        caller.call, caller.rank);
  if (found->missing)
    return fail(Status::unsupported, "%s on rank %d: %s's driver is too old to allocate memory for fields: it has no %s", caller.call,
                caller.rank, found->platform, found->missing);
  if (found->context_current.call(&context_) != kSuccess || !context_)
    return fail(Status::state, "%s on rank %d: no device is current in this thread: call %s before", caller.call, caller.rank,
                found->is_hip ? "hipSetDevice" : "cudaSetDevice, or cuCtxSetCurrent,");
  bytes = std::max<std::int64_t>(bytes, 1);
  if (const Result result = found->allocate.call(&address_, static_cast<std::size_t>(bytes)); result != kSuccess) {
    address_ = 0;
    return found->error(caller, found->allocate.name, kHost, result);
  }
  device_ = find_device(data());
  const Status filled = fill(caller, bytes);
  if (failed(filled)) static_cast<void>(release(caller));
  return filled;
}

/// The driver fills it in the default stream, for which a stream of the program need not wait.
Status Allocation::fill(const Caller &caller, std::int64_t bytes) const {
  const Driver &found = *driver();
  HLC_TRY(found.check(caller, found.fill, device_, found.fill.call(address_, 0, static_cast<std::size_t>(bytes))));
  return found.check(caller, found.stream_synchronize, device_, found.stream_synchronize.call(nullptr));
}

Status Allocation::release(const Caller &caller) {
  if (!address_) return Status::ok;
  const Driver &found = *driver();
  const Address address = address_;
  address_ = 0;
  Context before = nullptr;
  if (found.enter(context_, before) != kSuccess) return Status::ok;
  const Result result = found.free.call(address);
  static_cast<void>(found.leave(before));
  return found.check(caller, found.free, device_, result);
}

}  // namespace halocline::core::device
