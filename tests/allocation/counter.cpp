// See counter.hpp. The replaced functions forward to glibc's own entry points.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "allocation/counter.hpp"

#include "support/malloc.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "support/library.hpp"

namespace halocline::test {
namespace {

constexpr int deepest = 48;

std::atomic<bool> counting{false};
std::atomic<long> by_halocline{0};
void *first_stack[deepest];
std::atomic<int> first_depth{0};
thread_local bool inside = false;  // what backtrace and dladdr themselves allocate is not counted

enum class Charge { nobody, halocline, others };

/// The owner of a frame. `nobody`: the C and C++ libraries, and this program, which only pass a request on.
Charge charge_of(void *frame) {
  Dl_info info;
  if (!dladdr(frame, &info) || !info.dli_fname) return Charge::nobody;
  const char *slash = std::strrchr(info.dli_fname, '/');
  const char *name = slash ? slash + 1 : info.dli_fname;
  if (is_halocline(name)) return Charge::halocline;
  for (const char *passing : {"libc.so", "libstdc++.so", "libgcc_s.so", "libpthread", "ld-linux"})
    if (std::strncmp(name, passing, std::strlen(passing)) == 0) return Charge::nobody;
  return std::strstr(name, ".so") ? Charge::others : Charge::nobody;
}

/// Unused in a sanitized build, whose allocator is the sanitizer's own.
[[maybe_unused]] void look() {
  if (!counting.load(std::memory_order_relaxed) || inside) return;
  inside = true;
  void *frames[deepest];
  const int depth = backtrace(frames, deepest);
  Charge charge = Charge::nobody;
  for (int f = 0; f < depth && charge == Charge::nobody; ++f) charge = charge_of(frames[f]);
  if (charge == Charge::halocline && by_halocline.fetch_add(1) == 0) {
    std::memcpy(first_stack, frames, sizeof(void *) * static_cast<std::size_t>(depth));
    first_depth.store(depth);
  }
  inside = false;
}

}  // namespace

AllocationCount::AllocationCount() {
  void *frame = nullptr;
  backtrace(&frame, 1);  // loads what backtrace needs
  by_halocline = 0;
  first_depth = 0;
  counting = true;
}

AllocationCount::~AllocationCount() { counting = false; }
long AllocationCount::of_halocline() const { return by_halocline; }

std::string AllocationCount::first_place() const {
  counting = false;
  std::string place;
  for (int f = 0; f < first_depth; ++f) {
    Dl_info info;
    if (!dladdr(first_stack[f], &info)) continue;
    char line[400];
    std::snprintf(line, sizeof line, "%s+0x%zx %s\n", info.dli_fname,
                  static_cast<std::size_t>(static_cast<char *>(first_stack[f]) - static_cast<char *>(info.dli_fbase)),
                  info.dli_sname ? info.dli_sname : "");
    place += line;
  }
  return place;
}

bool can_count_allocations() { return HALOCLINE_TEST_REPLACES_MALLOC; }

}  // namespace halocline::test

#if HALOCLINE_TEST_REPLACES_MALLOC
INTERPOSED void *malloc(std::size_t bytes) noexcept {
  halocline::test::look();
  return __libc_malloc(bytes);
}

INTERPOSED void *calloc(std::size_t count, std::size_t bytes) noexcept {
  halocline::test::look();
  return __libc_calloc(count, bytes);
}

INTERPOSED void *realloc(void *memory, std::size_t bytes) noexcept {
  halocline::test::look();
  return __libc_realloc(memory, bytes);
}

INTERPOSED void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  halocline::test::look();
  return __libc_memalign(alignment, bytes);
}

INTERPOSED int posix_memalign(void **memory, std::size_t alignment, std::size_t bytes) noexcept {
  halocline::test::look();
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
#endif
