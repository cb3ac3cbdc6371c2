// The notifications of a segment: words that one rank sets and another finds, takes and resets to 0. All accesses are in this file, so that
// a rank that reads a notification may read what was put before it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/atomics.hpp"

namespace halocline::core {

/// One notification; 0: not set.
using NotificationWord = std::atomic<std::uint32_t>;
static_assert(NotificationWord::is_always_lock_free && sizeof(NotificationWord) == 4);

/// Words per pair of cache lines.
inline constexpr int kWordsPerLinePair = 32;

/// Notifications in memory that several processes map: each may set, find and take them. Up to kScanned of them are scanned one by one.
/// More have an index of two levels, so that a look costs a few loads however many there are:
///
///   | a word per notification | a leaf of 64 bits per 64 words | a top of 64 bits per 64 leaves | gaps |   each starts on a line pair
///
/// A bit says that something below it may be set. A setter stores the word, then sets the bits that are clear. `take` leaves the bits set.
/// A look that finds nothing below a bit clears the bit and then checks below it once more. Either this check sees a word that was set
/// meanwhile, and sets the bit again, or the setter of that word sees the bit clear. The time between clearing and checking is a gap,
/// counted when it begins and when it ends. Another look that finds nothing while a gap was open is repeated. All of this is sequentially
/// consistent. Model: tests/models/notifications.pml.
class Notifications {
 public:
  static constexpr int kScanned = 64;

  Notifications() = default;
  /// Over memory that is zero at first; `count` is the same in all processes that map it.
  Notifications(char *memory, int count);
  static std::int64_t bytes_of(int count);

  int count() const { return count_; }
  char *memory() const { return reinterpret_cast<char *>(words_); }

  /// Sets one. A rank that sees it may read everything that this thread wrote before.
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
  /// Takes one: returns its value and sets it to 0, atomically. Of several takers one gets the value.
  std::uint32_t take(int id) const {
    // SYNC payload-before-notification (pairs with set)
    return words_[id].exchange(0, std::memory_order_acquire);
  }
  /// The first in [first, end) that is set; `end` if none is.
  int find(int first, int end) const;

 private:
  using Bits = std::atomic<std::uint64_t>;
  static constexpr int kBits = 64;
  struct Gaps {
    std::atomic<std::uint32_t> begun, ended;
  };

  static bool is_marked(const Bits &bits, int place) { return (bits.load(std::memory_order_seq_cst) >> place & 1) != 0; }
  /// Writes a bit only if it is clear. Mostly it is set, and the cache line stays shared among the setters.
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

/// A number of 64 bits that immediate data from another node replace or add to.
struct NumberWrite {
  std::uint64_t place = 0, operand = 0;  // which number, and with what
  bool adds = false;
};

/// Numbers of 64 bits, one after the other, that immediate data from other nodes change. In 49 bits of these:
///
///   | adds: 1 bit | place: as many bits as the last number needs | zeros | operand: the other bits, 32 at most |
///
/// The zeros tell them from the immediate data of a foreign process.
struct SignalledNumbers {
  static constexpr int kBits = 49;

  std::uint64_t *first = nullptr;
  std::uint64_t count = 0;

  /// How many there are in some bytes.
  static std::uint64_t count_in(std::int64_t bytes) { return static_cast<std::uint64_t>(bytes) / sizeof(std::uint64_t); }
  /// What immediate data say of a write to one of so many numbers; none if the operand is too large for it.
  static std::optional<std::uint64_t> code_of(std::uint64_t count, const NumberWrite &write);
  /// Changes a number, with an atomic instruction; false if there is none.
  bool change(std::uint64_t code) const;
};

/// The words that immediate data from other nodes may set, by id: notifications, then monotonic words from the next line pair on. A
/// monotonic word only grows, because a later announcement may overtake an earlier one; each has an id and a line pair of its own. The
/// notifications may be elsewhere in memory.
struct NotificationWords {
  Notifications notifications;
  NotificationWord *monotonic = nullptr;
  int monotonic_count = 0;
  SignalledNumbers numbers;  // what else immediate data change, or none

  NotificationWords() = default;
  /// Layout: | notifications | monotonic words, from a line pair on |
  NotificationWords(char *memory, int notification_count, int count);
  static std::int64_t bytes_of(int notification_count, int monotonic_count);
  /// Most ids that fit into immediate data.
  static constexpr int kMaxIds = 1 << 17;
  /// The id of the first monotonic word.
  static int first_monotonic(int notification_count) { return static_cast<int>(round_up(notification_count, kWordsPerLinePair)); }
  /// All ids are less than this.
  int ids() const { return first_monotonic(notifications.count()) + monotonic_count; }

  /// Sets the word with this id; false if there is none, and for a notification with the value 0. Monotonic words may take the value 0,
  /// because they wrap around.
  bool set(std::uint32_t id, std::uint32_t value) const;
  /// Raises this monotonic word, unless the value is older.
  void raise(int word, std::uint32_t value) const;
  /// Resets a monotonic word; no rank may raise it at the same time.
  void lower(int word) const { word_at(word).store(0, std::memory_order_release); }
  /// The value of a monotonic word.
  std::uint32_t risen(int word) const {
    // SYNC payload-before-notification (pairs with raise)
    return word_at(word).load(std::memory_order_acquire);
  }
  /// True if a monotonic word has reached a number. Numbers wrap around; a word may be ahead.
  bool has_risen(int word, std::uint32_t number) const { return static_cast<std::int32_t>(risen(word) - number) >= 0; }

 private:
  NotificationWord &word_at(int word) const { return monotonic[static_cast<std::ptrdiff_t>(word) * kWordsPerLinePair]; }
};

}  // namespace halocline::core
