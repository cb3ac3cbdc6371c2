// Finding CUDA's driver or HIP, its errors in words, and what differs between the two.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/driver.hpp"

#include <dlfcn.h>

#include <mutex>

namespace halocline::core::device {

std::atomic<const Driver *> found_driver{nullptr};

namespace {

std::mutex looking;

template <class Function>
void find(void *library, bool is_hip, Entry<Function> &entry, const char *&missing) {
  if (is_hip) entry.name = entry.hip_name;
  entry.call = reinterpret_cast<Function>(dlsym(library, entry.name));
  if (!entry.call && !missing) missing = entry.name;
}

void find_all(void *library, Driver &driver) {
  const auto each = [&](auto &...entries) { (find(library, driver.is_hip, entries, driver.missing), ...); };
  each(driver.pointer_get_attributes, driver.get_error_name, driver.device_get, driver.primary_context_retain,
       driver.primary_context_release, driver.context_current, driver.context_push, driver.context_pop, driver.stream_create,
       driver.stream_destroy, driver.stream_synchronize, driver.event_create, driver.event_destroy, driver.event_record,
       driver.stream_wait_event, driver.allocate, driver.free, driver.fill, driver.host_alloc, driver.host_free, driver.copy_3d);
  const char *without = nullptr;
  find(library, driver.is_hip, driver.ipc_get, without);
  find(library, driver.is_hip, driver.ipc_open, without);
  find(library, driver.is_hip, driver.ipc_close, without);
}

/// HIP before version 6 numbers the kinds of memory otherwise, and copies by another layout.
struct Library {
  const char *file, *platform;
  bool is_hip;
};
constexpr Library kLibraries[] = {{"libcuda.so.1", "CUDA", false}, {"libamdhip64.so.7", "HIP", true}, {"libamdhip64.so.6", "HIP", true}};

/// True if the program has loaded this one, and it knows of addresses.
bool take(const Library &one) {
  void *library = dlopen(one.file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!library) return false;
  static Driver table;
  table = Driver();
  table.is_hip = one.is_hip;
  table.platform = one.platform;
  find_all(library, table);
  if (!table.pointer_get_attributes.call) {
    dlclose(library);
    return false;
  }
  found_driver.store(&table, std::memory_order_release);
  return true;
}

HipRows hip_rows(const Rows &rows) {
  return {rows.x_bytes, rows.y, rows.z, rows.level, rows.type, rows.host, rows.device, rows.array, rows.pitch, rows.height};
}

}  // namespace

void look_for_driver() {
  if (driver()) return;
  const std::lock_guard<std::mutex> one_at_a_time(looking);
  for (const Library &library : kLibraries)
    if (driver() || take(library)) return;
}

std::string name_of_device(int device) {
  const Driver *const found_one = driver();
  return std::string(found_one ? found_one->platform : "CUDA") + " device " + std::to_string(device);
}

Result Driver::enter(Context context, Context &before) const {
  before = nullptr;
  if (is_hip) static_cast<void>(context_current.call(&before));
  return context_push.call(context);
}

Result Driver::leave(Context before) const {
  Context ours = nullptr;
  const Result popped = context_pop.call(&ours);
  if (before && context_push.call(before) == kSuccess) static_cast<void>(context_pop.call(&ours));
  return popped;
}

Result Driver::copy(const Copy3d &one, Stream stream) const {
  if (!is_hip) return copy_3d.call(&one, stream);
  const HipCopy3d hip{hip_rows(one.from), hip_rows(one.to), one.width_bytes, one.height, one.depth};
  return copy_3d.call(&hip, stream);
}

std::string Driver::words_of(Result result) const {
  const char *name = nullptr;
  if (get_error_name.call(result, &name) != kSuccess || !name) name = "an unknown error";
  return std::string(name) + " (" + std::to_string(result) + ")";
}

/// What a kernel of the program did wrong is returned by any later call.
Status Driver::error(const Caller &caller, const char *function, int device, Result result) const {
  const std::string what = words_of(result) + (device < 0 ? "" : " on device " + std::to_string(device));
  if (result == kOutOfMemory)
    return fail(Status::memory, "%s on rank %d: %s of %s's driver returned %s", caller.call, caller.rank, function, platform, what.c_str());
  return fail(Status::device,
              "%s on rank %d: %s of %s's driver returned %s; it may be the error of an earlier kernel or copy of the "
              "program: synchronise after those, and check what they return",
              caller.call, caller.rank, function, platform, what.c_str());
}

}  // namespace halocline::core::device
