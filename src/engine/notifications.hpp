// The notifications of a segment: words that one rank sets and another finds, takes and sets back to 0. Every word is set here, found here
// and taken here, so that whoever sees it may read what was put before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace halocline {

/// One notification; 0: not set.
using NotificationWord = std::atomic<std::uint32_t>;
static_assert(NotificationWord::is_always_lock_free && sizeof(NotificationWord) == 4);

/// Words that share a pair of cache lines.
inline constexpr int kWordsPerLinePair = 32;

/// Sets a notification: everything that this thread wrote before may be read by whoever sees it.
inline void set(NotificationWord &word, std::uint32_t value) {
  // SYNC payload-before-notification (pairs with seen and take)
  word.store(value, std::memory_order_release);
}

/// The value of a notification, 0 if it is not set.
inline std::uint32_t seen(const NotificationWord &word) {
  // SYNC payload-before-notification (pairs with set)
  return word.load(std::memory_order_acquire);
}

/// Takes a notification: returns its value and sets it to 0, in one step.
inline std::uint32_t take(NotificationWord &word) {
  // SYNC payload-before-notification (pairs with set)
  return word.exchange(0, std::memory_order_acquire);
}

/// The first notification from `first` to before `end` that is set; `end` if none is. A look that finds nothing costs a load per word.
inline int find_set(const NotificationWord *words, int first, int end) {
  for (int id = first; id < end; ++id)
    if (words[id].load(std::memory_order_relaxed) != 0 && seen(words[id]) != 0) return id;
  return end;
}

}  // namespace halocline
