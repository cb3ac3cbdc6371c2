// The functions of libxpmem that are used, loaded with dlopen. Without access to /dev/xpmem nothing is loaded.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/xpmem.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "base/atomics.hpp"
#include "base/environment.hpp"

namespace halocline::core::transport::shm {
namespace {

// As in xpmem.h.
struct Place {
  std::int64_t handle;
  off_t offset;
};
constexpr int kReadWrite = 2, kPermitMode = 1;

struct Library {
  std::int64_t (*make)(void *, std::size_t, int, void *) = nullptr;
  int (*remove)(std::int64_t) = nullptr;
  std::int64_t (*get)(std::int64_t, int, int, void *) = nullptr;
  int (*release)(std::int64_t) = nullptr;
  void *(*attach)(Place, std::size_t, void *) = nullptr;
  int (*detach)(void *) = nullptr;
  bool here = false;
  std::string trouble;
};

template <class Function>
bool find(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

/// HALOCLINE_XPMEM names the library's file; "none": it is not loaded.
Library load() {
  const char *named = environment("XPMEM");
  Library library;
  if (std::strcmp(named, "none") == 0 || (*named == '\0' && access("/dev/xpmem", R_OK | W_OK) != 0)) return library;
  void *handle = dlopen(*named ? named : "libxpmem.so.0", RTLD_NOW | RTLD_LOCAL);
  library.here = handle && find(handle, "xpmem_make", library.make) && find(handle, "xpmem_remove", library.remove) &&
                 find(handle, "xpmem_get", library.get) && find(handle, "xpmem_release", library.release) &&
                 find(handle, "xpmem_attach", library.attach) && find(handle, "xpmem_detach", library.detach);
  if (*named && !handle) library.trouble = dlerror();
  if (*named && handle && !library.here) library.trouble = "it lacks the functions of XPMEM";
  return library;
}

const Library &xpmem() {
  static const Library library = load();
  return library;
}

}  // namespace

const char *xpmem_trouble() { return *environment("XPMEM") ? xpmem().trouble.c_str() : ""; }

/// Only this user's processes may attach.
Exposed::Exposed(const void *data, std::int64_t bytes) {
  if (!xpmem().here) return;
  constexpr std::uintptr_t mode = 0600;
  const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  address_.offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(page));
  address_.bytes = round_up(address_.offset + bytes, page);
  char *first = const_cast<char *>(static_cast<const char *>(data)) - address_.offset;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the mode is passed as a pointer
  address_.segment = xpmem().make(first, static_cast<std::size_t>(address_.bytes), kPermitMode, reinterpret_cast<void *>(mode));
}

Exposed::Exposed(Exposed &&other) noexcept : address_(std::exchange(other.address_, {})) {}

Exposed::~Exposed() {
  if (address_.segment >= 0) xpmem().remove(address_.segment);
}

Attached::Attached(const ExposedAddress &address) : segment_(address.segment), offset_(address.offset) {
  if (!xpmem().here || segment_ < 0) return;
  handle_ = xpmem().get(segment_, kReadWrite, kPermitMode, nullptr);
  if (handle_ < 0) return;
  void *pages = xpmem().attach({handle_, 0}, static_cast<std::size_t>(address.bytes), nullptr);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): libxpmem's error value
  if (pages != reinterpret_cast<void *>(std::intptr_t{-1})) pages_ = static_cast<char *>(pages);
}

Attached::Attached(Attached &&other) noexcept
    : segment_(other.segment_),
      handle_(std::exchange(other.handle_, -1)),
      offset_(other.offset_),
      pages_(std::exchange(other.pages_, nullptr)) {}

Attached::~Attached() {
  if (pages_) xpmem().detach(pages_);
  if (handle_ >= 0) xpmem().release(handle_);
}

}  // namespace halocline::core::transport::shm
