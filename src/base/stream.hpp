// Writing what another core reads next, and has read before: past this core's caches, or into lines that were fetched ahead.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace halocline {

/// Has this core's cache fetch the lines of [to, to + bytes) for writing, several at a time. A store that misses fetches one after the other.
inline void fetch_to_write(const char *to, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) {
#if defined(__x86_64__)
    // Processors that do not know it pass over it; without a target option a compiler would fetch the line for reading.
    asm volatile("prefetchw %0" : : "m"(to[at]));
#else
    __builtin_prefetch(to + at, 1);
#endif
  }
}

/// True if this processor can copy bytes from `to` on with stores that do not fetch the line first.
inline bool can_stream([[maybe_unused]] const void *to, [[maybe_unused]] std::int64_t bytes) {
#if defined(__SSE2__)
  return bytes >= 256 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0;
#else
  return false;
#endif
}

/// Copies with such stores where can_stream, else as memcpy. A release store does not order them: call stream_fence before it.
inline void stream_copy(char *to, const char *from, std::int64_t bytes) {
  std::int64_t done = 0;
#if defined(__SSE2__)
  if (can_stream(to, bytes))
    for (; done + 16 <= bytes; done += 16)
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + done), _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + done)));
#endif
  std::memcpy(to + done, from + done, static_cast<std::size_t>(bytes - done));
}

/// Orders all stores of stream_copy before every later store.
inline void stream_fence() {
#if defined(__SSE2__)
  // SYNC streamed-before-counter (pairs with reached, through the release store that follows)
  _mm_sfence();
#endif
}

}  // namespace halocline
