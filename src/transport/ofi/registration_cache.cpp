// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/registration_cache.hpp"

#include <dlfcn.h>
#include <rdma/fi_ext.h>

#include <mutex>

#include "transport/ofi/initialising.hpp"

namespace halocline::core::transport::ofi {
namespace {

int start(fid_mem_monitor *) { return 0; }
void stop(fid_mem_monitor *) {}
/// Memory that is not watched is not kept: the registration ends with its last use.
int refuse(fid_mem_monitor *, const void *, std::size_t) { return -FI_EOPNOTSUPP; }
void forget(fid_mem_monitor *, const void *, std::size_t) {}
bool is_never_valid(fid_mem_monitor *, const void *, std::size_t) { return false; }

/// Both live until the end of the process, as libfabric keeps their addresses.
fi_ops_mem_monitor watches_nothing = {sizeof(fi_ops_mem_monitor), start, stop, refuse, forget, is_never_valid};
fid_mem_monitor monitor = {{FI_CLASS_MEM_MONITOR, nullptr, nullptr}, &watches_nothing, nullptr};

/// A provider that is a plugin has a copy of the cache, which fi_import does not reach.
bool is_plugin(const Library &library, const fid_fabric &fabric) {
  Dl_info provider;
  return !dladdr(fabric.fid.ops, &provider) || library.path != provider.dli_fname;
}

Status refuse_cache(const char *reason) {
  return fail(
      Status::unsupported,
      "libfabric's cache of memory registrations, which another user of this process has begun to use, cannot be switched off (%s), and "
      "would send bytes of freed memory; set FI_MR_CACHE_MAX_COUNT=0 for all ranks, or FI_MR_CACHE_MONITOR=userfaultfd where the system "
      "allows it",
      reason);
}

Status import_monitor(const Library &library) {
  fid *cache = nullptr;
  int code = library.open ? library.open(kInterface, "mr_cache", nullptr, 0, 0, &cache, nullptr) : -FI_ENOSYS;
  if (code == 0) {
    code = fi_import_fid(cache, &monitor.fid, 0);
    fi_close(cache);
  }
  return code == 0 ? Status::ok : refuse_cache(library.text_of(-code));
}

}  // namespace

bool registers_pages(const std::string &provider) {
  for (const char *copies : {"tcp", "net", "udp", "sockets", "shm", "sm2"})
    if (provider.rfind(copies, 0) == 0) return false;
  return true;
}

Status do_without_cache(const Library &library, const fid_fabric &fabric, const std::string &provider) {
  static std::mutex mutex;
  static bool is_imported = false;
  if (!library.was_loaded || !registers_pages(provider) || is_cache_safe_as_set()) return Status::ok;
  if (is_plugin(library, fabric)) return library.had_plugins ? refuse_cache("the provider is a plugin") : Status::ok;
  const std::lock_guard lock(mutex);
  if (is_imported) return Status::ok;
  HLC_TRY(import_monitor(library));
  is_imported = true;
  return Status::ok;
}

}  // namespace halocline::core::transport::ofi
