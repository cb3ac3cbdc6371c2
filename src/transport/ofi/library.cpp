// Looks for libfabric: the file that the user names. Without such, first one that is loaded already or in the system's search path, then those
// shipped with MPI wheels.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "transport/ofi/initialising.hpp"

// The helper process has no MPI; it receives the path of libfabric.
#pragma weak MPI_Initialized

namespace halocline::core::transport::ofi {
namespace {

constexpr char kFile[] = "libfabric.so.1";

/// The file that contains MPI; empty if there is none.
std::string file_of_mpi() {
  Dl_info mpi;
  if (!&MPI_Initialized || !dladdr(reinterpret_cast<void *>(&MPI_Initialized), &mpi) || !mpi.dli_fname) return {};
  return mpi.dli_fname;
}

template <class Function>
bool find(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

std::string path_of(const Library &library) {
  Dl_info info;
  return dladdr(reinterpret_cast<void *>(library.get_info), &info) && info.dli_fname ? info.dli_fname : kFile;
}

/// True if a provider that is a file of its own is loaded: libNAME-fi.so.
bool has_plugins() {
  const auto is_plugin = [](dl_phdr_info *object, std::size_t, void *) {
    const std::string_view name = object->dlpi_name ? object->dlpi_name : "", end = "-fi.so";
    return name.size() > end.size() && name.substr(name.size() - end.size()) == end ? 1 : 0;
  };
  return dl_iterate_phdr(is_plugin, nullptr) != 0;
}

/// Initialises libfabric, unless another user of the process has.
void initialise(const Library &library, int ranks) {
  const InitialisingVariables variables(ranks);
  fi_info *providers = nullptr;
  if (library.get_info(kInterface, nullptr, nullptr, FI_PROV_ATTR_ONLY, nullptr, &providers) == 0) library.free_info(providers);
}

/// RTLD_LOCAL: libfabric's symbols do not become visible to the application.
void *open_file(const std::string &file, Library &library) {
  library.was_loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr;
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// The name of a function that the file lacks; null if it has all that are needed.
const char *find_functions(void *handle, Library &library) {
  find(handle, "fi_open", library.open);
  if (!find(handle, "fi_getinfo", library.get_info)) return "fi_getinfo";
  if (!find(handle, "fi_dupinfo", library.dup_info)) return "fi_dupinfo";
  if (!find(handle, "fi_freeinfo", library.free_info)) return "fi_freeinfo";
  if (!find(handle, "fi_fabric", library.fabric)) return "fi_fabric";
  if (!find(handle, "fi_strerror", library.text_of)) return "fi_strerror";
  return find(handle, "fi_version", library.version) ? nullptr : "fi_version";
}

Status open_named(const std::string &file, Library &library) {
  if (!std::filesystem::path(file).is_absolute())
    return fail(Status::unsupported, "HALOCLINE_LIBFABRIC is '%s' but must be the absolute path of a file", file.c_str());
  void *const handle = open_file(file, library);
  if (!handle) {
    const char *const reason = dlerror();
    return fail(Status::unsupported, "HALOCLINE_LIBFABRIC is '%s', which cannot be loaded: %s", file.c_str(),
                reason ? reason : "no reason given");
  }
  if (const char *lacks = find_functions(handle, library))
    return fail(Status::unsupported, "HALOCLINE_LIBFABRIC is '%s', which is not libfabric: it has no %s", file.c_str(), lacks);
  return Status::ok;
}

Status open_any(const Wish &wish, Library &library) {
  void *handle = nullptr;
  for (const std::string &file : places(wish.library, file_of_mpi()))
    if (!handle) handle = open_file(file, library);
  if (handle && !find_functions(handle, library)) return Status::ok;
  return fail(Status::unsupported, "libfabric not found (%s; Debian package libfabric1)", kFile);
}

Status load(const Wish &wish, std::unique_ptr<Library> &loaded) {
  auto library = std::make_unique<Library>();
  HLC_TRY(wish.only_library.empty() ? open_any(wish, *library) : open_named(wish.only_library, *library));
  library->had_plugins = has_plugins();
  if (!FI_VERSION_LT(library->version(), kInterface)) initialise(*library, wish.ranks);
  library->path = path_of(*library);
  loaded = std::move(library);
  return Status::ok;
}

/// The process keeps the libfabric that it has found.
Status check_named(const Library &found, const std::string &named) {
  std::error_code error;
  if (named.empty() || std::filesystem::equivalent(found.path, named, error)) return Status::ok;
  return fail(Status::unsupported, "HALOCLINE_LIBFABRIC is '%s', but this process uses %s already", named.c_str(), found.name().c_str());
}

}  // namespace

/// If MPI is linked statically into the program, its file is the program's name as it was called. That may be relative to a folder that the
/// process has left, where other users may have put files. So relative folders are not searched.
std::vector<std::string> places(const std::string &named, const std::string &mpi) {
  std::vector<std::string> files{kFile};
  if (!named.empty()) files.insert(files.begin(), named);
  const std::filesystem::path folder = std::filesystem::path(mpi).parent_path();
  if (!folder.is_absolute()) return files;
  for (const char *inside : {"", "mpich", "openmpi"}) files.push_back((folder / inside / kFile).string());
  return files;
}

std::string Library::name() const {
  const std::uint32_t number = version();
  return "libfabric " + std::to_string(FI_MAJOR(number)) + "." + std::to_string(FI_MINOR(number)) + " (" + path + ")";
}

Status find_library(const Wish &wish, const Library **library) {
  static std::mutex mutex;
  static std::unique_ptr<Library> found;
  const std::lock_guard lock(mutex);
  *library = nullptr;
  if (!found) HLC_TRY(load(wish, found));
  HLC_TRY(check_named(*found, wish.only_library));
  *library = found.get();
  if (FI_VERSION_LT(found->version(), kInterface))
    return fail(Status::unsupported, "%s is older than the required version %d.%d", found->name().c_str(), FI_MAJOR(kInterface),
                FI_MINOR(kInterface));
  return Status::ok;
}

}  // namespace halocline::core::transport::ofi
