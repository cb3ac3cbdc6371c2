// The variable that inline functions of programs read, and which functions have such forms.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/inline_forms.hpp"

#include <algorithm>
#include <iterator>

#include "faces/shmem/context.hpp"
#include "faces/shmem/interface.hpp"
#include "faces/shmem/near.hpp"

extern "C" {

// A program may have a copy of it instead (a copy relocation), so that it is not to be found but by its name.
constinit shmem_near_1_t shmem_near_1 = {
    .begin = 0,
    .bytes = 0,
    .parts = nullptr,
    .stride = 0,
    .first = 0,
    .members = 0,
    .has_others = 0,
    .default_ctx = &halocline::core::shmem::default_context,
};

}  // extern "C"

namespace halocline::core::shmem {
namespace {

using Function = void (*)();

/// A function as the process finds it, and the library's own.
struct Names {
  Function found, own;
};

#define HLC_SHMEM_NAMES(name) {reinterpret_cast<Function>(&shmem_##name), reinterpret_cast<Function>(&pshmem_##name)},
#define HLC_SHMEM_BOTH(name) HLC_SHMEM_NAMES(name) HLC_SHMEM_NAMES(ctx_##name)
#define HLC_SHMEM_COPIES(put, get) HLC_SHMEM_BOTH(put) HLC_SHMEM_BOTH(put##_nbi) HLC_SHMEM_BOTH(get) HLC_SHMEM_BOTH(get##_nbi)
#define HLC_SHMEM_FETCHING(name) HLC_SHMEM_BOTH(name) HLC_SHMEM_BOTH(name##_nbi)
#define SHMEM_INLINE_RMA(name, type) HLC_SHMEM_BOTH(name##_p) HLC_SHMEM_BOTH(name##_g) HLC_SHMEM_COPIES(name##_put, name##_get)
#define SHMEM_INLINE_SIZED(bits, octets) HLC_SHMEM_COPIES(put##bits, get##bits)
#define SHMEM_INLINE_MOVING(name, type) \
  HLC_SHMEM_FETCHING(name##_atomic_fetch) HLC_SHMEM_BOTH(name##_atomic_set) HLC_SHMEM_FETCHING(name##_atomic_swap)
#define SHMEM_INLINE_COUNTING(name, type)        \
  HLC_SHMEM_FETCHING(name##_atomic_compare_swap) \
  HLC_SHMEM_FETCHING(name##_atomic_fetch_inc)    \
  HLC_SHMEM_BOTH(name##_atomic_inc) HLC_SHMEM_FETCHING(name##_atomic_fetch_add) HLC_SHMEM_BOTH(name##_atomic_add)
#define SHMEM_INLINE_BITWISE(name, type)      \
  HLC_SHMEM_FETCHING(name##_atomic_fetch_and) \
  HLC_SHMEM_BOTH(name##_atomic_and)           \
  HLC_SHMEM_FETCHING(name##_atomic_fetch_or)  \
  HLC_SHMEM_BOTH(name##_atomic_or) HLC_SHMEM_FETCHING(name##_atomic_fetch_xor) HLC_SHMEM_BOTH(name##_atomic_xor)

/// Every function that has an inline form. The linker fills it; the compiler does not compare.
const volatile Names kFunctions[] = {HLC_SHMEM_BOTH(fence) HLC_SHMEM_BOTH(quiet)
#include <halocline/shmem/inline_functions.h>
};

bool is_a_function_replaced() {
  return std::any_of(std::begin(kFunctions), std::end(kFunctions), [](const volatile Names &one) { return one.found != one.own; });
}

}  // namespace

void open_inline_forms() {
  if (is_a_function_replaced()) return;
  shmem_near_1.begin = near.begin;
  shmem_near_1.parts = near.parts;
  shmem_near_1.stride = near.stride;
  shmem_near_1.first = near.first;
  shmem_near_1.has_others = near.has_others ? 1 : 0;
  shmem_near_1.bytes = near.bytes;
  shmem_near_1.members = near.members;
}

void close_inline_forms() {
  shmem_near_1.members = 0;
  shmem_near_1.bytes = 0;
}

}  // namespace halocline::core::shmem
