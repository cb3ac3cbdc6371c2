// Atomic operations on 16 bytes, where the processor has them. GCC would call libatomic, which may take a lock of its own process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/elements/basic.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace halocline::core::elements {

/// Aligned to 16 bytes. Each operation is sequentially consistent.
class Word16 {
 public:
  explicit Word16(void *at) : at_(static_cast<Int128 *>(at)) {}

  /// False if elements of this size need a lock.
  static bool is_supported() {
#ifdef __x86_64__
    static const bool supported = [] {
      unsigned a = 0, b = 0, c = 0, d = 0;
      return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_CMPXCHG16B) != 0;
    }();
    return supported;
#else
    return false;
#endif
  }

  Int128 load() const {
    Int128 value = 0;
    compare_exchange(value, 0);
    return value;
  }

  void store(Int128 value) const { exchange(value); }

  Int128 exchange(Int128 value) const {
    Int128 before = load();
    while (!compare_exchange(before, value)) continue;
    return before;
  }

  /// Replaces the word by `value` if it equals `expected`; otherwise `expected` gets what it is.
  bool compare_exchange([[maybe_unused]] Int128 &expected, [[maybe_unused]] Int128 value) const {
#ifdef __x86_64__
    std::uint64_t old[2], next[2];
    std::memcpy(old, &expected, sizeof old);
    std::memcpy(next, &value, sizeof next);
    bool same = false;
    asm volatile("lock cmpxchg16b %1" : "=@ccz"(same), "+m"(*at_), "+a"(old[0]), "+d"(old[1]) : "b"(next[0]), "c"(next[1]) : "memory");
    std::memcpy(&expected, old, sizeof old);
    return same;
#else
    return false;
#endif
  }

 private:
  Int128 *at_;
};

}  // namespace halocline::core::elements
