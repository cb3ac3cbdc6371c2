// A ring of bytes in shared memory, through which one process sends messages to another. The two ends are used by one thread at a time each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/atomics.hpp"

namespace halocline::core::armci {

/// The layout of a ring. Both counts of bytes only grow; a byte's place is its number modulo the ring's bytes.
///
///   | written, 128 B: by the sender | taken, 128 B: by the receiver | bytes |
struct MessageRing {
  Counter written, taken;

  char *bytes() { return reinterpret_cast<char *>(this + 1); }
  static std::int64_t memory(std::int64_t capacity) { return static_cast<std::int64_t>(sizeof(MessageRing)) + capacity; }
};

/// What carries the bytes of a message. The ring has the heads of all, which are matched in their order.
enum class Carrier : std::int32_t { ring, mpi };

/// The beginning of a message in a ring. Its bytes follow, then a gap, so that the next one begins at a multiple of a head's size.
struct MessageHead {
  std::int32_t tag;
  Carrier carrier;
  std::int64_t bytes;
};

/// One side of a ring. The capacity is a power of two.
class RingEnd {
 public:
  RingEnd() = default;
  RingEnd(MessageRing &ring, std::int64_t capacity) : ring_(&ring), capacity_(capacity) {}

  /// Bytes that a message of the ring takes.
  static std::int64_t bytes_of(const MessageHead &head) {
    return kHead + (head.carrier == Carrier::ring ? round_up(head.bytes, kHead) : 0);
  }

  /// The sender's side: whether so many bytes can be written.
  bool has_room(std::int64_t bytes) {
    if (seen_ + capacity_ - here_ >= bytes) return true;
    // SYNC taken-before-overwritten (pairs with take)
    seen_ = static_cast<std::int64_t>(ring_->taken.value.load(std::memory_order_acquire));
    return seen_ + capacity_ - here_ >= bytes;
  }
  /// Writes a message, for which there is room.
  void write(const MessageHead &head, const void *bytes) {
    std::memcpy(place(here_), &head, sizeof head);
    if (head.carrier == Carrier::ring)
      for_pieces(head.bytes, [&](char *place, std::int64_t done, std::size_t count) {
        std::memcpy(place, static_cast<const char *>(bytes) + done, count);
      });
    here_ += bytes_of(head);
    // SYNC message-before-written (pairs with next)
    ring_->written.value.store(static_cast<std::uint64_t>(here_), std::memory_order_release);
  }

  /// The receiver's side: whether there is a message; its head.
  bool next(MessageHead *head) {
    if (seen_ == here_) {
      // SYNC message-before-written (pairs with write)
      seen_ = static_cast<std::int64_t>(ring_->written.value.load(std::memory_order_acquire));
      if (seen_ == here_) return false;
      fetch_first_lines();
    }
    std::memcpy(head, place(here_), sizeof *head);
    return true;
  }
  /// Takes that message.
  void take(const MessageHead &head, void *to) {
    if (head.carrier == Carrier::ring)
      for_pieces(head.bytes, [&](const char *place, std::int64_t done, std::size_t count) {
        std::memcpy(static_cast<char *>(to) + done, place, count);
      });
    here_ += bytes_of(head);
    // SYNC taken-before-overwritten (pairs with has_room)
    ring_->taken.value.store(static_cast<std::uint64_t>(here_), std::memory_order_release);
  }

 private:
  static constexpr std::int64_t kHead = sizeof(MessageHead), kLine = 64, kAtOnce = 1024;

  char *place(std::int64_t number) const { return ring_->bytes() + (number & (capacity_ - 1)); }

  /// Fetches what has been written while the head is read, and not after it, when the length is known.
  void fetch_first_lines() const {
    const std::int64_t end = std::min(seen_, here_ + kAtOnce);
    for (std::int64_t line = here_ + kLine; line < end; line += kLine) __builtin_prefetch(place(line));
  }

  /// Calls copy(place in the ring, bytes before, bytes) for the one or two pieces of a message's bytes.
  template <class Copy>
  void for_pieces(std::int64_t bytes, Copy copy) const {
    const std::int64_t begin = here_ + kHead, to_end = capacity_ - (begin & (capacity_ - 1)), first = std::min(bytes, to_end);
    if (first > 0) copy(place(begin), 0, static_cast<std::size_t>(first));
    if (first < bytes) copy(place(begin + first), first, static_cast<std::size_t>(bytes - first));
  }

  MessageRing *ring_ = nullptr;
  std::int64_t capacity_ = 0;
  std::int64_t here_ = 0, seen_ = 0;  // bytes that this side has passed; that the other one had passed when looked at last
};

}  // namespace halocline::core::armci
