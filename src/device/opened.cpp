// Handles of legacy IPC, and the allocations that are open in this process.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/opened.hpp"

#include <algorithm>

#include "base/mutex.hpp"

namespace halocline::core::device {
namespace {

/// The driver opens memory of a device in one context per device of this process, and does not know which plans have asked for it.
struct Mapping {
  IpcHandle handle;
  Context context = nullptr;
  Address address = 0;
  int users = 0;
};

struct Mappings {
  Mutex mutex;
  std::vector<Mapping> all HLC_GUARDED_BY(mutex);
};

Mappings &mappings() {
  static Mappings of_process;
  return of_process;
}

std::string refused(const char *function, Result result) {
  return std::string(function) + " of " + driver()->platform + "'s driver returned " + driver()->words_of(result);
}

/// An error of this call has no consequence: the program may have destroyed the context.
void unmap(const Mapping &mapping) {
  const Driver &known = *driver();
  Context before = nullptr;
  if (known.enter(mapping.context, before) != kSuccess) return;
  static_cast<void>(known.ipc_close.call(mapping.address));
  static_cast<void>(known.leave(before));
}

}  // namespace

std::string give(const void *data, std::int64_t bytes, Given &given) {
  const Driver &known = *driver();
  if (!known.has_ipc()) return std::string(known.platform) + "'s driver has no IPC";
  unsigned capable = 0;
  Address start = 0;
  std::size_t range = 0;
  int which[] = {kIsIpcCapable, kRangeStart, kRangeBytes};
  void *answers[] = {&capable, &start, &range};
  const Address address = address_of(data);
  if (const Result result = known.pointer_get_attributes.call(3, which, answers, address); result != kSuccess)
    return refused(known.pointer_get_attributes.name, result);
  if (!capable)
    return std::string("its memory has no ") + known.platform + " IPC handle (that of " + (known.is_hip ? "hipMalloc" : "cudaMalloc") +
           " has one; that of a pool, or mapped by the program, has none)";
  given.offset = static_cast<std::int64_t>(address - start);
  if (static_cast<std::uint64_t>(given.offset) + static_cast<std::uint64_t>(bytes) > range)
    return "it does not end in the allocation in which it begins";
  if (const Result result = known.ipc_get.call(&given.handle, start); result != kSuccess) return refused(known.ipc_get.name, result);
  given.is_given = true;
  return "";
}

std::string Opened::open(Context context, const Given &given, char **data) {
  constexpr unsigned kLazyPeerAccess = 1;
  Mappings &known = mappings();
  const Lock lock(known.mutex);
  held_.reserve(held_.size() + 1);
  auto mapping = std::find_if(known.all.begin(), known.all.end(),
                              [&](const Mapping &one) { return one.handle == given.handle && one.context == context; });
  if (mapping == known.all.end()) {
    known.all.reserve(known.all.size() + 1);
    Mapping made{given.handle, context, 0, 0};
    const Driver &its_driver = *driver();
    if (const Result result = its_driver.ipc_open.call(&made.address, given.handle, kLazyPeerAccess); result != kSuccess)
      return refused(its_driver.ipc_open.name, result);
    mapping = known.all.insert(known.all.end(), made);
  }
  mapping->users += 1;
  held_.push_back(mapping->address);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
  *data = reinterpret_cast<char *>(static_cast<std::uintptr_t>(mapping->address)) + given.offset;
  return "";
}

void Opened::close() {
  if (held_.empty()) return;
  Mappings &known = mappings();
  const Lock lock(known.mutex);
  for (const Address address : held_) {
    const auto mapping = std::find_if(known.all.begin(), known.all.end(), [&](const Mapping &one) { return one.address == address; });
    if (--mapping->users > 0) continue;
    unmap(*mapping);
    known.all.erase(mapping);
  }
  held_.clear();
}

}  // namespace halocline::core::device
