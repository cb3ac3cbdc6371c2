// See shortage.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "failure/shortage.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "support/library.hpp"

namespace halocline::test {
namespace {

std::atomic<long> first_to_fail{LONG_MAX}, last_to_fail{0}, seen{0}, live{0};
std::atomic<bool> watching{false}, struck_once{false};

/// Counts an allocation; true if it is to fail.
bool allocation_fails() {
  if (!watching.load(std::memory_order_relaxed)) return false;
  const long number = seen.fetch_add(1) + 1;
  if (number < first_to_fail || number > last_to_fail) return false;
  struck_once = true;
  return true;
}

const char *failing_functions = "";
int failing_error = 0;

/// The errno that a call of this function from this place is to fail with, 0: none.
int error_of(const char *function, void *caller) {
  if (*failing_functions == '\0' ||
      !std::strstr((std::string(" ") + failing_functions + " ").c_str(), (std::string(" ") + function + " ").c_str()))
    return 0;
  Dl_info info;
  return dladdr(caller, &info) && is_halocline(info.dli_fname) ? failing_error : 0;
}

template <class Function>
Function *real(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

FailingAllocation::FailingAllocation(long n, Extent extent) {
  first_to_fail = n > 0 ? n : LONG_MAX;
  last_to_fail = extent == Extent::one ? n : LONG_MAX;
  seen = 0;
  struck_once = false;
  watching = true;
}

FailingAllocation::~FailingAllocation() { watching = false; }
bool FailingAllocation::struck() const { return struck_once; }
long live_objects() { return live; }

bool is_replaced(const char *function) {
  Dl_info found, mine;
  return dladdr(dlsym(RTLD_DEFAULT, function), &found) && dladdr(&first_to_fail, &mine) && found.dli_fbase == mine.dli_fbase;
}

FailingSystem::FailingSystem(const char *functions, int error) {
  failing_functions = functions;
  failing_error = error;
}

FailingSystem::~FailingSystem() { failing_functions = ""; }

int open_files() {
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) files += entry.path().empty() ? 0 : 1;
  return files;
}

int shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  int mappings = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("/dev/shm/#") != std::string::npos || line.find("/dev/shm/halocline") != std::string::npos) ++mappings;
  return mappings;
}

int names_in_dev_shm() {
  int names = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/dev/shm"))
    names += entry.path().filename().string().rfind("halocline-" + std::to_string(getpid()), 0) == 0 ? 1 : 0;
  return names;
}

}  // namespace halocline::test

#define INTERPOSED extern "C" __attribute__((visibility("default"), noinline))
#define REPLACED __attribute__((visibility("default")))

// NOLINTBEGIN: replacements have the names and the types of what they replace
REPLACED void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept {
  void *memory = halocline::test::allocation_fails() ? nullptr : std::malloc(bytes);
  if (memory) halocline::test::live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

REPLACED void *operator new(std::size_t bytes) {
  if (void *memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}

// The C++ library's own would ask aligned_alloc or posix_memalign, from one version to the next.
REPLACED void *operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void *memory = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!memory) throw std::bad_alloc();
  halocline::test::live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

REPLACED void operator delete(void *memory) noexcept {
  if (memory) halocline::test::live.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

REPLACED void operator delete(void *memory, std::size_t) noexcept { operator delete(memory); }
REPLACED void operator delete(void *memory, std::align_val_t) noexcept { operator delete(memory); }
REPLACED void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { operator delete(memory); }

INTERPOSED void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  // The next aligned_alloc may not be the sanitizer's, whose free() takes this memory.
  void *memory = nullptr;
  const bool failed = halocline::test::allocation_fails() || posix_memalign(&memory, std::max(alignment, sizeof(void *)), bytes) != 0;
  return failed ? nullptr : memory;
}

INTERPOSED int open(const char *path, int flags, ...) {
  static const auto next = reinterpret_cast<int (*)(const char *, int, ...)>(dlsym(RTLD_NEXT, "open"));
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  errno = halocline::test::error_of("open", __builtin_return_address(0));
  return errno ? -1 : next(path, flags, mode);
}

INTERPOSED int shm_open(const char *name, int flags, mode_t mode) {
  static const auto next = halocline::test::real(&shm_open, "shm_open");
  errno = halocline::test::error_of("shm_open", __builtin_return_address(0));
  return errno ? -1 : next(name, flags, mode);
}

INTERPOSED int ftruncate(int file, off_t bytes) noexcept {
  static const auto next = halocline::test::real(&ftruncate, "ftruncate");
  errno = halocline::test::error_of("ftruncate", __builtin_return_address(0));
  return errno ? -1 : next(file, bytes);
}

INTERPOSED int posix_fallocate(int file, off_t offset, off_t bytes) {
  static const auto next = halocline::test::real(&posix_fallocate, "posix_fallocate");
  const int error = halocline::test::error_of("posix_fallocate", __builtin_return_address(0));
  return error ? error : next(file, offset, bytes);
}

INTERPOSED void *mmap(void *address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  static const auto next = halocline::test::real(&mmap, "mmap");
  errno = halocline::test::error_of("mmap", __builtin_return_address(0));
  return errno ? MAP_FAILED : next(address, bytes, protection, flags, file, offset);
}
// NOLINTEND
