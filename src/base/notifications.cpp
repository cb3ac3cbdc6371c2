// Finding a notification that is set, and setting the words of NotificationWords.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/notifications.hpp"

#include <algorithm>
#include <bit>

namespace halocline::core {
namespace {

constexpr int kLeafBits = 64, kTopBits = kLeafBits * 64;  // the words below one leaf, below one top
constexpr int kMaxLooks = 50;  // some microseconds; a scan of every word takes tens of microseconds

std::int64_t bytes_of_words(int count) { return round_up(std::int64_t{4} * count, kLinePair); }
std::int64_t bytes_of_bits(int words, int below) { return round_up(std::int64_t{8} * ((words + below - 1) / below), kLinePair); }

/// A mask of the bits for [first, end) in a word of the index. Its bit 0 stands for the ids from `begin`, each bit for `below` ids.
std::uint64_t bits_between(int begin, int below, int first, int end) {
  const int low = std::max(0, (first - begin) / below), high = std::min(63, (end - 1 - begin) / below);
  return (~std::uint64_t{0} >> (63 - high)) & (~std::uint64_t{0} << low);
}

}  // namespace

std::int64_t Notifications::bytes_of(int count) {
  return bytes_of_words(count) +
         (count > kScanned ? bytes_of_bits(count, kLeafBits) + bytes_of_bits(count, kTopBits) + std::int64_t{kLinePair} : 0);
}

Notifications::Notifications(char *memory, int count) : words_(reinterpret_cast<NotificationWord *>(memory)), count_(count) {
  if (count <= kScanned) return;
  char *leaves = memory + bytes_of_words(count);
  leaves_ = reinterpret_cast<Bits *>(leaves);
  char *tops = leaves + bytes_of_bits(count, kLeafBits);
  tops_ = reinterpret_cast<Bits *>(tops);
  gaps_ = reinterpret_cast<Gaps *>(tops + bytes_of_bits(count, kTopBits));
}

int Notifications::scan(int first, int end) const {
  for (int id = first; id < end; ++id)
    if (words_[id].load(std::memory_order_relaxed) != 0 && seen(id) != 0) return id;
  return end;
}

/// Clears a bit and then checks again; true if it stays clear. If `is_there` finds something set meanwhile, `restore` sets the bit again.
template <class IsThere, class Restore>
bool Notifications::clear(Bits &bits, int place, IsThere is_there, Restore restore) const {
  // SYNC gap-before-answer (pairs with find)
  gaps_->begun.fetch_add(1, std::memory_order_seq_cst);
  bits.fetch_and(~(std::uint64_t{1} << place), std::memory_order_seq_cst);
  // SYNC word-before-index (pairs with set)
  const bool there = is_there();
  if (there) restore();
  gaps_->ended.fetch_add(1, std::memory_order_seq_cst);
  return !there;
}

int Notifications::find_in_leaf(int leaf, int first, int end, std::uint32_t *cleared) const {
  Bits &bits = leaves_[leaf], &top = tops_[leaf / kBits];
  const int begin = leaf * kLeafBits, place_in_top = leaf % kBits;
  const auto any = [&] { return bits.load(std::memory_order_seq_cst) != 0; };
  for (std::uint64_t left = bits.load(std::memory_order_seq_cst) & bits_between(begin, 1, first, end); left != 0; left &= left - 1) {
    const int place = std::countr_zero(left), id = begin + place;
    if (seen(id) != 0) return id;
    *cleared += 1;
    if (!clear(bits, place, [&] { return words_[id].load(std::memory_order_seq_cst) != 0; }, [&] { mark(id); })) return id;
  }
  if (any()) return end;
  *cleared += 1;
  clear(top, place_in_top, any, [&] { raise(top, place_in_top); });
  return end;
}

int Notifications::look(int first, int end, std::uint32_t *cleared) const {
  for (int top = first / kTopBits; top <= (end - 1) / kTopBits; ++top) {
    std::uint64_t left = tops_[top].load(std::memory_order_seq_cst) & bits_between(top * kTopBits, kLeafBits, first, end);
    for (; left != 0; left &= left - 1)
      if (const int id = find_in_leaf(top * kBits + std::countr_zero(left), first, end, cleared); id != end) return id;
  }
  return end;
}

int Notifications::find(int first, int end) const {
  if (!leaves_ || end - first <= kScanned) return scan(first, end);
  for (int looks = 0; looks < kMaxLooks; ++looks) {
    std::uint32_t cleared = 0;
    // SYNC gap-before-answer (pairs with clear): if begun == ended + cleared, only this thread's own gaps
    // were open between these two loads.
    const std::uint32_t ended = gaps_->ended.load(std::memory_order_seq_cst);
    const int id = look(first, end, &cleared);
    if (id != end || gaps_->begun.load(std::memory_order_seq_cst) == ended + cleared) return id;
  }
  return scan(first, end);  // another thread or process has stopped inside a gap
}

NotificationWords::NotificationWords(char *memory, int notification_count, int count)
    : notifications(memory, notification_count),
      monotonic(reinterpret_cast<NotificationWord *>(memory + Notifications::bytes_of(notification_count))),
      monotonic_count(count) {}

std::int64_t NotificationWords::bytes_of(int notification_count, int monotonic_count) {
  return Notifications::bytes_of(notification_count) + monotonic_count * static_cast<std::int64_t>(kLinePair);
}

void NotificationWords::raise(int word, std::uint32_t value) const {
  // SYNC later-before-earlier (pairs with await_round): the network may deliver a barrier's number after that of the next.
  NotificationWord &risen = word_at(word);
  if (static_cast<std::int32_t>(value - risen.load(std::memory_order_relaxed)) <= 0) return;
  // SYNC payload-before-notification (pairs with risen)
  risen.store(value, std::memory_order_release);
}

bool NotificationWords::set(std::uint32_t id, std::uint32_t value) const {
  // SYNC payload-before-notification (pairs with seen and take): the provider reports immediate data after its bytes are placed.
  // SYNC pieces-before-notification (pairs with RemoteRma::put_notify), writes-before-notification (pairs with RemoteRma::notify_in_order):
  // the piece with the immediate data is the last, the others have arrived.
  if (id < static_cast<std::uint32_t>(notifications.count())) {
    if (value != 0) notifications.set(static_cast<int>(id), value);
    return value != 0;
  }
  const std::uint32_t word = id - static_cast<std::uint32_t>(first_monotonic(notifications.count()));
  if (word >= static_cast<std::uint32_t>(monotonic_count)) return false;
  raise(static_cast<int>(word), value);
  return true;
}

namespace {

constexpr int kWriteBits = SignalledNumbers::kBits - 1;  // of place, zeros and operand
constexpr int kMaxOperandBits = 32;

/// The bits below the place in a write to one of so many numbers; less than 0 if their places alone have no room.
int bits_below_place(std::uint64_t count) { return kWriteBits - static_cast<int>(std::bit_width(count - 1)); }
bool is_operand(std::uint64_t bits, std::uint64_t count) { return bits >> std::min(bits_below_place(count), kMaxOperandBits) == 0; }

}  // namespace

std::optional<std::uint64_t> SignalledNumbers::code_of(std::uint64_t count, const NumberWrite &write) {
  if (write.place >= count || bits_below_place(count) < 0 || !is_operand(write.operand, count)) return std::nullopt;
  return std::uint64_t{write.adds} << kWriteBits | write.place << bits_below_place(count) | write.operand;
}

bool SignalledNumbers::change(std::uint64_t code) const {
  if (count == 0 || bits_below_place(count) < 0) return false;
  const std::uint64_t write = code & ((std::uint64_t{1} << kWriteBits) - 1);
  const std::uint64_t place = write >> bits_below_place(count), operand = write & ((std::uint64_t{1} << bits_below_place(count)) - 1);
  if (place >= count || !is_operand(operand, count)) return false;
  const std::atomic_ref number(first[place]);
  // SYNC data-before-signal (pairs with the look at the number): the provider reports immediate data after its bytes are placed.
  // SYNC pieces-before-notification (pairs with RemoteRma::put_first): the piece with the immediate data is the last, the others have arrived.
  if ((code >> kWriteBits & 1) != 0)
    number.fetch_add(operand, std::memory_order_release);
  else
    number.store(operand, std::memory_order_release);
  return true;
}

}  // namespace halocline::core
