// Looks for UCX: first one that is loaded already, then one in the system's search path.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <mutex>

#include "transport/temporary_variable.hpp"

namespace halocline::core::transport::ucx {
namespace {

constexpr char kFile[] = "libucp.so.0";
constexpr unsigned kOldestMajor = 1, kOldestMinor = 11;

template <class Function>
bool find(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

/// libucs is loaded with libucp, and dlsym finds what it has through libucp.
bool find_functions(void *handle, Library &library) {
  return find(handle, "ucp_get_version", library.version) && find(handle, "ucp_config_read", library.config_read) &&
         find(handle, "ucp_config_modify", library.config_modify) && find(handle, "ucp_config_release", library.config_release) &&
         find(handle, "ucp_init_version", library.init) && find(handle, "ucp_cleanup", library.cleanup) &&
         find(handle, "ucp_context_print_info", library.print_info) && find(handle, "ucp_worker_create", library.worker_create) &&
         find(handle, "ucp_worker_destroy", library.worker_destroy) && find(handle, "ucp_worker_query", library.worker_query) &&
         find(handle, "ucp_worker_progress", library.progress) && find(handle, "ucp_worker_get_efd", library.get_efd) &&
         find(handle, "ucp_worker_arm", library.arm) && find(handle, "ucp_worker_release_address", library.release_address) &&
         find(handle, "ucp_worker_set_am_recv_handler", library.set_handler) && find(handle, "ucp_ep_create", library.ep_create) &&
         find(handle, "ucp_ep_close_nbx", library.ep_close) && find(handle, "ucp_am_send_nbx", library.am_send) &&
         find(handle, "ucp_mem_map", library.mem_map) && find(handle, "ucp_mem_unmap", library.mem_unmap) &&
         find(handle, "ucp_rkey_pack", library.rkey_pack) && find(handle, "ucp_rkey_buffer_release", library.rkey_release) &&
         find(handle, "ucp_ep_rkey_unpack", library.rkey_unpack) && find(handle, "ucp_rkey_destroy", library.rkey_destroy) &&
         find(handle, "ucp_put_nbx", library.put) && find(handle, "ucp_get_nbx", library.get) &&
         find(handle, "ucp_ep_flush_nbx", library.flush) && find(handle, "ucp_request_check_status", library.request_status) &&
         find(handle, "ucp_request_free", library.request_free) && find(handle, "ucs_status_string", library.text_of);
}

/// RTLD_NOLOAD first: the loader finds a loaded one by the name that it calls itself, whichever folder it is from. One that is loaded here reports
/// nothing by itself: that a peer is lost is a status of ours.
void *load(const std::string &wished) {
  if (void *loaded = dlopen(kFile, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return loaded;
  const TemporaryVariable reports("UCX_LOG_LEVEL", std::getenv("UCX_LOG_LEVEL") ? "" : "fatal");
  void *named = wished.empty() ? nullptr : dlopen(wished.c_str(), RTLD_NOW | RTLD_LOCAL);
  return named ? named : dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
}

Status find_it(const Wish &wish, std::unique_ptr<Library> *found) {
  void *handle = load(wish.library);
  if (!handle) return fail(Status::unsupported, "UCX not found (%s; Debian package libucx0)", kFile);
  auto library = std::make_unique<Library>();
  if (!find(handle, "ucp_get_version", library->version)) return fail(Status::unsupported, "%s is not UCX", kFile);
  Dl_info info;
  library->path = dladdr(reinterpret_cast<void *>(library->version), &info) && info.dli_fname ? info.dli_fname : kFile;
  unsigned major = 0, minor = 0, release = 0;
  library->version(&major, &minor, &release);
  if (major != kOldestMajor || minor < kOldestMinor || !find_functions(handle, *library))
    return fail(Status::unsupported, "%s is older than the required version %u.%u", library->name().c_str(), kOldestMajor, kOldestMinor);
  *found = std::move(library);
  return Status::ok;
}

}  // namespace

std::string Library::name() const {
  unsigned major = 0, minor = 0, release = 0;
  version(&major, &minor, &release);
  return "UCX " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) + " (" + path + ")";
}

Status find_library(const Wish &wish, const Library **library) {
  static std::mutex mutex;
  static std::unique_ptr<Library> found;
  const std::lock_guard lock(mutex);
  if (!found) HLC_TRY(find_it(wish, &found));
  *library = found.get();
  return Status::ok;
}

}  // namespace halocline::core::transport::ucx
