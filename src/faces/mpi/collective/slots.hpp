// What the ranks of a node share for their edges: rings of slots for messages, and which of these have been read.
//
//   part of a rank:  | PartHead | InWords of each incoming edge | OutWords of each outgoing edge | ring of edge 0 | ring of edge 1 | ...
//   ring:            | SlotHead, bytes | SlotHead, bytes | ... |      message n is in slot n % kSlots
//
// A part is written by its rank alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/counter.hpp"
#include "faces/mpi/collective/pattern.hpp"

namespace halocline::core::mpi {

/// Messages of an edge that may be under way. The sender asks only once in a while how many have been read.
inline constexpr std::uint64_t kSlots = 4;

struct PartHead {
  std::int64_t out = 0, in = 0;
  std::atomic<std::uint64_t> left_at{0};  // the first exchange in which this rank takes no part; 0: it takes part in all
};
/// Where a rank wants the message with this number: one run of bytes of its own memory. The sender may put it there.
struct Destination {
  std::atomic<std::uint64_t> number;  // 0: nothing may be put any more
  std::uint64_t address;
  std::int64_t bytes;
};
struct InWords {
  Counter read;  // messages that this rank has read
  Destination destination;
  int rank, key;
};
struct OutWords {
  std::int64_t ring, slot_bytes;  // where the ring begins in the part; the most that a slot holds
  int rank, key;
};

/// The route of a message's bytes.
enum class Route : std::int64_t {
  in_slot,   // behind the SlotHead
  in_memory,  // at `address` of the sender's process, until one of both has copied it
  by_host,  // as a message of the host
  lost  // nowhere: the sender has no memory to pack them
};
inline constexpr std::size_t kSlotHead = 64;  // a cache line

/// The rank that copies a message in memory: the one of both that is ready first. Withdrawn: the sender has abandoned the exchange, and its memory
/// may have other contents.
enum class Mover : std::uint64_t { none, receiver, sender, sender_is_done, withdrawn };
struct alignas(kSlotHead) SlotHead {
  std::atomic<std::uint64_t> number;  // of the message in this slot, from 1 on
  std::atomic<Mover> mover;
  std::int64_t bytes;
  std::uint64_t address;
  Route route;
};
static_assert(sizeof(SlotHead) == kSlotHead && std::atomic<Mover>::is_always_lock_free);

/// From a slot to the next.
constexpr std::int64_t slot_distance(std::int64_t slot_bytes) {
  return round_up(static_cast<std::int64_t>(sizeof(SlotHead)) + slot_bytes, static_cast<std::int64_t>(kLinePair));
}

/// A ring, as either end sees it.
struct Ring {
  char *begin = nullptr;
  std::int64_t slot_bytes = 0;

  SlotHead &slot(std::uint64_t number) const {
    return *reinterpret_cast<SlotHead *>(begin + static_cast<std::int64_t>(number % kSlots) * slot_distance(slot_bytes));
  }
  static char *bytes_of(SlotHead &slot) { return reinterpret_cast<char *>(&slot + 1); }
};

class CommContext;

/// The part of a rank with those of these edges that are within its node.
struct PartForm {
  std::int64_t in = 0, out = 0;  // edges
  std::int64_t in_words, out_words, rings, bytes;
  PartForm(const Pattern &pattern, const CommContext &comm);
};

}  // namespace halocline::core::mpi
