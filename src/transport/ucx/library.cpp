// Looks for UCX: first one that is loaded already, by whichever name, then one in the system's search path.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

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

/// The name of the first function that the file lacks; null if it has all. libucs is loaded with libucp, and dlsym finds what it has through libucp.
const char *find_functions(void *handle, Library &library) {
  const char *lacks = nullptr;
  const auto get = [&](const char *name, auto &function) {
    if (!find(handle, name, function) && !lacks) lacks = name;
  };
  get("ucp_get_version", library.version);
  get("ucp_config_read", library.config_read);
  get("ucp_config_modify", library.config_modify);
  get("ucp_config_release", library.config_release);
  get("ucp_init_version", library.init);
  get("ucp_cleanup", library.cleanup);
  get("ucp_context_print_info", library.print_info);
  get("ucp_worker_create", library.worker_create);
  get("ucp_worker_destroy", library.worker_destroy);
  get("ucp_worker_query", library.worker_query);
  get("ucp_worker_progress", library.progress);
  get("ucp_worker_get_efd", library.get_efd);
  get("ucp_worker_arm", library.arm);
  get("ucp_worker_release_address", library.release_address);
  get("ucp_worker_set_am_recv_handler", library.set_handler);
  get("ucp_ep_create", library.ep_create);
  get("ucp_ep_close_nbx", library.ep_close);
  get("ucp_am_send_nbx", library.am_send);
  get("ucp_mem_map", library.mem_map);
  get("ucp_mem_unmap", library.mem_unmap);
  get("ucp_rkey_pack", library.rkey_pack);
  get("ucp_rkey_buffer_release", library.rkey_release);
  get("ucp_ep_rkey_unpack", library.rkey_unpack);
  get("ucp_rkey_destroy", library.rkey_destroy);
  get("ucp_put_nbx", library.put);
  get("ucp_get_nbx", library.get);
  get("ucp_ep_flush_nbx", library.flush);
  get("ucp_request_check_status", library.request_status);
  get("ucp_request_free", library.request_free);
  get("ucs_status_string", library.text_of);
  return lacks;
}

/// The file of a loaded library; empty if there is none. A package may have renamed it, as tools that repair wheels do (libucp-1a2b3c4d.so.0),
/// and the loader would not find it by the usual name.
std::string file_of_loaded(const std::string &library) {
  std::pair<std::string, std::string> wanted_and_found(library, "");
  const auto is_it = [](dl_phdr_info *object, std::size_t, void *data) {
    auto &[wanted, found] = *static_cast<std::pair<std::string, std::string> *>(data);
    const std::string path = object->dlpi_name ? object->dlpi_name : "", name = path.substr(path.rfind('/') + 1);
    if (name.rfind(wanted + ".", 0) != 0 && name.rfind(wanted + "-", 0) != 0) return 0;
    found = path;
    return 1;
  };
  dl_iterate_phdr(is_it, &wanted_and_found);
  return wanted_and_found.second;
}

/// RTLD_NOLOAD: the loader finds a loaded one by its path, or by the name that it calls itself.
void *find_loaded() {
  for (const std::string &file : {file_of_loaded("libucp"), std::string(kFile)})
    if (void *loaded = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return loaded;
  return nullptr;
}

/// One that is loaded here reports nothing by itself: that a peer is lost is a status of ours. The loader gives libucp the libucs that is loaded
/// already, and of another version that would be of no use: then only the libucp beside it fits.
void *load(const std::string &wished) {
  const TemporaryVariable reports("UCX_LOG_LEVEL", std::getenv("UCX_LOG_LEVEL") ? "" : "fatal");
  if (const std::string part = file_of_loaded("libucs"); !part.empty())
    return dlopen((part.substr(0, part.rfind('/') + 1) + kFile).c_str(), RTLD_NOW | RTLD_LOCAL);
  void *named = wished.empty() ? nullptr : dlopen(wished.c_str(), RTLD_NOW | RTLD_LOCAL);
  return named ? named : dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
}

Status not_found() {
  if (const std::string part = file_of_loaded("libucs"); !part.empty())
    return fail(Status::unsupported, "UCX not found: this process has loaded %s, and there is no %s beside it", part.c_str(), kFile);
  return fail(Status::unsupported, "UCX not found (%s; Debian package libucx0)", kFile);
}

Status find_it(const Wish &wish, std::unique_ptr<Library> *found) {
  void *handle = find_loaded();
  if (!handle) handle = load(wish.library);
  if (!handle) return not_found();
  auto library = std::make_unique<Library>();
  if (!find(handle, "ucp_get_version", library->version)) return fail(Status::unsupported, "%s is not UCX", kFile);
  Dl_info info;
  library->path = dladdr(reinterpret_cast<void *>(library->version), &info) && info.dli_fname ? info.dli_fname : kFile;
  unsigned major = 0, minor = 0, release = 0;
  library->version(&major, &minor, &release);
  if (major != kOldestMajor || minor < kOldestMinor)
    return fail(Status::unsupported, "%s is older than the required version %u.%u; put another one first into LD_LIBRARY_PATH",
                library->name().c_str(), kOldestMajor, kOldestMinor);
  if (const char *lacks = find_functions(handle, *library))
    return fail(Status::unsupported, "%s has no %s; put another one first into LD_LIBRARY_PATH", library->name().c_str(), lacks);
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
