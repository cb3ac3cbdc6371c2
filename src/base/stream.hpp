// Writing data that another core reads next and has read before: with stores that bypass this core's caches, or into prefetched lines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halocline::core {

/// Prefetches the cache lines of [to, to + bytes) for writing, several at a time. Stores that miss would fetch one after the other.
inline void fetch_to_write(const char *to, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) {
#if defined(__x86_64__)
    // Processors without this instruction ignore it. Without a target option __builtin_prefetch would fetch the line for reading.
    asm volatile("prefetchw %0" : : "m"(to[at]));
#else
    __builtin_prefetch(to + at, 1);
#endif
  }
}

/// Prefetches the cache lines of [from, from + bytes) for reading, several at a time.
inline void fetch_to_read(const char *from, std::int64_t bytes) {
  for (std::int64_t at = -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from) % 64); at < bytes; at += 64)
    __builtin_prefetch(from + at);
}

/// True if this processor can write `bytes` at `to` with streaming stores, which do not fetch the line first. Whether to do so is
/// decided by NotifyChannel::choose_packing.
inline bool can_stream([[maybe_unused]] const void *to, [[maybe_unused]] std::int64_t bytes) {
#if defined(__SSE2__)
  return bytes >= 256 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0;
#else
  return false;
#endif
}

/// Copies with streaming stores where can_stream, else as memcpy. A release store does not order them: call stream_fence before it.
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

}  // namespace halocline::core
