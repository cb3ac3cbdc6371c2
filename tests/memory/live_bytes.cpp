// See live_bytes.hpp. The replaced functions forward to glibc's own entry points.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/live_bytes.hpp"

#include "support/malloc.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "support/library.hpp"

namespace halocline::test {
namespace {

constexpr int deepest = 48;
constexpr std::size_t places = 1 << 16;

struct Counted {
  void *memory;
  long bytes;
};

std::mutex mutex;
bool counting = false;
long held_bytes = 0, most_bytes = 0;
Counted counted[places];  // open addressing; a place stays taken until the next count
std::size_t taken = 0;
thread_local bool inside = false;  // what backtrace and dladdr themselves allocate is not counted

/// Whether the request is libhalocline's; the C and C++ libraries, and this program, only pass a request on.
bool is_from_halocline() {
  void *frames[deepest];
  const int depth = backtrace(frames, deepest);
  for (int f = 0; f < depth; ++f) {
    Dl_info info;
    if (!dladdr(frames[f], &info) || !info.dli_fname) continue;
    const char *slash = std::strrchr(info.dli_fname, '/');
    const char *name = slash ? slash + 1 : info.dli_fname;
    if (is_halocline(name)) return true;
    const bool passes = std::strncmp(name, "libc.so", 7) == 0 || std::strncmp(name, "libstdc++.so", 12) == 0;
    if (!passes && std::strstr(name, ".so")) return false;
  }
  return false;
}

/// The place of a piece of memory, or the free one that it would get.
Counted &place_of(void *memory) {
  std::size_t i = (reinterpret_cast<std::uintptr_t>(memory) >> 4) * 0x9e3779b97f4a7c15u % places;
  while (counted[i].memory && counted[i].memory != memory) i = (i + 1) % places;
  return counted[i];
}

[[maybe_unused]] void take(void *memory, std::size_t bytes) {
  if (!counting || inside || !memory) return;
  inside = true;
  if (is_from_halocline()) {
    const std::lock_guard lock(mutex);
    Counted &place = place_of(memory);
    taken += place.memory ? 0 : 1;
    if (taken == places) __builtin_trap();  // more pieces than the test was made for
    place = {memory, static_cast<long>(bytes)};
    held_bytes += place.bytes;
    most_bytes = std::max(most_bytes, held_bytes);
  }
  inside = false;
}

[[maybe_unused]] void give(void *memory) {
  if (!counting || inside || !memory) return;
  const std::lock_guard lock(mutex);
  Counted &place = place_of(memory);
  if (!place.memory) return;
  held_bytes -= place.bytes;
  place.bytes = 0;
}

}  // namespace

LiveBytes::LiveBytes() {
  void *frame = nullptr;
  backtrace(&frame, 1);  // loads what backtrace needs
  std::memset(counted, 0, sizeof counted);
  taken = 0;
  held_bytes = most_bytes = 0;
  counting = true;
}

LiveBytes::~LiveBytes() { counting = false; }
long LiveBytes::held() const { return held_bytes; }
long LiveBytes::most() const { return most_bytes; }

bool can_count_bytes() { return HALOCLINE_TEST_REPLACES_MALLOC; }

}  // namespace halocline::test

#if HALOCLINE_TEST_REPLACES_MALLOC
INTERPOSED void *malloc(std::size_t bytes) noexcept {
  void *memory = __libc_malloc(bytes);
  halocline::test::take(memory, bytes);
  return memory;
}

INTERPOSED void *calloc(std::size_t count, std::size_t bytes) noexcept {
  void *memory = __libc_calloc(count, bytes);
  halocline::test::take(memory, count * bytes);
  return memory;
}

INTERPOSED void *realloc(void *old, std::size_t bytes) noexcept {
  halocline::test::give(old);
  void *memory = __libc_realloc(old, bytes);
  halocline::test::take(memory, bytes);
  return memory;
}

INTERPOSED void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  void *memory = __libc_memalign(alignment, bytes);
  halocline::test::take(memory, bytes);
  return memory;
}

INTERPOSED int posix_memalign(void **memory, std::size_t alignment, std::size_t bytes) noexcept {
  *memory = __libc_memalign(alignment, bytes);
  halocline::test::take(*memory, bytes);
  return *memory ? 0 : ENOMEM;
}

INTERPOSED void free(void *memory) noexcept {
  halocline::test::give(memory);
  __libc_free(memory);
}
#endif
