// What the driver says of an address.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/pointers.hpp"

#include "device/driver.hpp"

namespace halocline::core::device {

/// Memory of a device that the host can access, too, such as managed memory, has an address for the host. Of an address that it does not know
/// the driver leaves the type at 0. It fails if the program has not initialised it: then there is no memory of a device.
int find_device(const void *data) {
  const Driver *const cuda = driver();
  if (!cuda) return kHost;
  unsigned type = 0;
  int ordinal = 0;
  void *host = nullptr;
  int which[] = {kMemoryType, kHostPointer, kDeviceOrdinal};
  void *answers[] = {&type, &host, &ordinal};
  if (cuda->pointer_get_attributes.call(3, which, answers, address_of(data)) != kSuccess) return kHost;
  return type == kDeviceMemory && !host ? ordinal : kHost;
}

Status check_argument(const Caller &caller, const char *argument, const void *data) {
  constexpr int kPageBits = 12;
  static thread_local std::uintptr_t page_of_host = 0;
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(data) >> kPageBits;
  if (page == page_of_host || !data) return Status::ok;
  const Driver *const known = driver();
  if (const int device = find_device(data); device != kHost)
    return fail(Status::unsupported,
                "%s: %s is in the memory of %s, which this call does not access: pass memory that the host can access (also pinned or "
                "managed memory), and copy to and from the device around the call",
                caller.text().c_str(), argument, name_of_device(device).c_str());
  if (known && !known->is_hip) page_of_host = page;
  return Status::ok;
}

}  // namespace halocline::core::device
