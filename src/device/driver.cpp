// Finding CUDA's driver, and its errors in words.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

namespace halocline::core::device {
namespace {

/// Never unset: the library that its functions are in stays loaded.
std::atomic<const Driver *> found{nullptr};
std::mutex looking;

template <class Function>
void find(void *library, Entry<Function> &entry, const char *&missing) {
  entry.call = reinterpret_cast<Function>(dlsym(library, entry.name));
  if (!entry.call && !missing) missing = entry.name;
}

void find_all(void *library, Driver &driver) {
  const auto each = [&](auto &...entries) { (find(library, entries, driver.missing), ...); };
  each(driver.pointer_get_attributes, driver.get_error_name, driver.device_get, driver.primary_context_retain,
       driver.primary_context_release, driver.context_push, driver.context_pop, driver.stream_create, driver.stream_destroy,
       driver.stream_synchronize, driver.event_create, driver.event_destroy, driver.event_record, driver.stream_wait_event,
       driver.host_alloc, driver.host_free, driver.copy_3d);
  const char *without = nullptr;
  find(library, driver.ipc_get, without);
  find(library, driver.ipc_open, without);
  find(library, driver.ipc_close, without);
}

}  // namespace

void look_for_driver() {
  if (driver()) return;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!library) return;
  const std::lock_guard<std::mutex> one_at_a_time(looking);
  static Driver table;
  if (!driver()) find_all(library, table);
  if (driver() || !table.pointer_get_attributes.call)
    dlclose(library);
  else
    found.store(&table, std::memory_order_release);
}

const Driver *driver() { return found.load(std::memory_order_acquire); }

std::string Driver::words_of(Result result) const {
  const char *name = nullptr;
  if (get_error_name.call(result, &name) != kSuccess || !name) name = "an unknown error";
  return std::string(name) + " (" + std::to_string(result) + ")";
}

/// What a kernel of the program did wrong is returned by any later call.
Status Driver::error(const Caller &caller, const char *function, int device, Result result) const {
  const std::string name = words_of(result);
  if (result == kOutOfMemory)
    return fail(Status::memory, "%s on rank %d: %s of CUDA's driver returned %s on device %d", caller.call, caller.rank, function,
                name.c_str(), device);
  return fail(Status::device,
              "%s on rank %d: %s of CUDA's driver returned %s on device %d; it may be the error of an earlier kernel or copy of the "
              "program: synchronise after those, and check what they return",
              caller.call, caller.rank, function, name.c_str(), device);
}

}  // namespace halocline::core::device
