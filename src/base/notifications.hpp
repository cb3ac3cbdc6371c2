// The notifications of a segment: words that one rank sets and another finds, takes and sets back to 0. Every word is set here, found here
// and taken here, so that whoever sees it may read what was put before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.hpp"

namespace halocline {

/// One notification; 0: not set.
using NotificationWord = std::atomic<std::uint32_t>;
static_assert(NotificationWord::is_always_lock_free && sizeof(NotificationWord) == 4);

/// Words that share a pair of cache lines.
inline constexpr int kWordsPerLinePair = 32;

/// Notifications in memory that others map, too: any of them sets, looks and takes. Up to kScanned of them are looked at one by one. Over more
/// there is an index of two levels, so that a look costs some loads however many there are:
///
///   | a word per notification | a leaf of 64 bits per 64 words | a top of 64 bits per 64 leaves | gaps |   each from a line pair on
///
/// A bit says that something below it may be set. Whoever sets a word sees to its bits afterwards; nobody clears them when a word is taken,
/// but whoever looks and finds nothing below, and then looks below once more: either that look sees a word that was set meanwhile, and sets the
/// bit anew, or who set it sees the bit gone. Such gaps are counted when they begin and when they end; another look that finds nothing while there
/// was one is no answer. All of this is sequentially consistent. tests/models/notifications.pml.
class Notifications {
 public:
  static constexpr int kScanned = 64;

  Notifications() = default;
  /// Over memory that holds zeros at first; `count` is the same for all who map it.
  Notifications(char *memory, int count);
  static std::int64_t bytes_of(int count);

  int count() const { return count_; }
  char *memory() const { return reinterpret_cast<char *>(words_); }

  /// Sets one: everything that this thread wrote before may be read by whoever sees it.
  void set(int id, std::uint32_t value) const {
    // SYNC payload-before-notification (pairs with seen and take)
    if (!leaves_) return words_[id].store(value, std::memory_order_release);
    // SYNC word-before-index (pairs with clear)
    words_[id].store(value, std::memory_order_seq_cst);
    mark(id);
  }
  /// The value of one, 0 if it is not set.
  std::uint32_t seen(int id) const {
    // SYNC payload-before-notification (pairs with set)
    return words_[id].load(std::memory_order_acquire);
  }
  /// Takes one: returns its value and sets it to 0, in one step. Of several who take it one gets the value.
  std::uint32_t take(int id) const {
    // SYNC payload-before-notification (pairs with set)
    return words_[id].exchange(0, std::memory_order_acquire);
  }
  /// The first from `first` to before `end` that is set; `end` if none is.
  int find(int first, int end) const;

 private:
  using Bits = std::atomic<std::uint64_t>;
  static constexpr int kBits = 64;
  struct Gaps {
    std::atomic<std::uint32_t> begun, ended;
  };

  static bool is_marked(const Bits &bits, int place) { return (bits.load(std::memory_order_seq_cst) >> place & 1) != 0; }
  /// Only who finds a bit clear writes it: mostly none is, and the lines stay with all who set.
  static void raise(Bits &bits, int place) {
    if (!is_marked(bits, place)) bits.fetch_or(std::uint64_t{1} << place, std::memory_order_seq_cst);
  }
  void mark(int id) const {
    const int leaf = id / kBits;
    raise(leaves_[leaf], id % kBits);
    raise(tops_[leaf / kBits], leaf % kBits);
  }
  int scan(int first, int end) const;
  int look(int first, int end, std::uint32_t *cleared) const;
  int find_in_leaf(int leaf, int first, int end, std::uint32_t *cleared) const;
  template <class IsThere, class Restore>
  bool clear(Bits &bits, int place, IsThere is_there, Restore restore) const;

  NotificationWord *words_ = nullptr;
  Bits *leaves_ = nullptr, *tops_ = nullptr;  // null: no index
  Gaps *gaps_ = nullptr;
  int count_ = 0;
};

/// All that announcements of other nodes may set, by id: notifications, and words behind their last line pair that only rise, because an
/// announcement may be overtaken by a later one. Each of these has a line pair of its own, and an id. The notifications may lie elsewhere.
struct NotificationWords {
  Notifications notifications;
  NotificationWord *monotonic = nullptr;
  int monotonic_count = 0;

  NotificationWords() = default;
  /// | notifications | words that rise, from a line pair on |
  NotificationWords(char *memory, int notification_count, int count);
  static std::int64_t bytes_of(int notification_count, int monotonic_count);
  /// An announcement has room for so many ids.
  static constexpr int kMostIds = 1 << 17;
  /// The id of the first word that rises.
  static int first_monotonic(int notification_count) { return static_cast<int>(round_up(notification_count, kWordsPerLinePair)); }
  /// All ids lie below it.
  int ids() const { return first_monotonic(notifications.count()) + monotonic_count; }

  /// Sets what has this id; false if nothing has, and for a notification with the value 0. Numbers that only rise come to 0 when they wrap around.
  bool set(std::uint32_t id, std::uint32_t value) const;
  /// Raises the word of this number, unless it would go back.
  void raise(int word, std::uint32_t value) const;
  /// Sets a word back that nobody raises just now.
  void lower(int word) const { word_at(word).store(0, std::memory_order_release); }
  /// A word that rises.
  std::uint32_t risen(int word) const {
    // SYNC payload-before-notification (pairs with raise)
    return word_at(word).load(std::memory_order_acquire);
  }

 private:
  NotificationWord &word_at(int word) const { return monotonic[static_cast<std::ptrdiff_t>(word) * kWordsPerLinePair]; }
};

}  // namespace halocline
