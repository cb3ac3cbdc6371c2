// Matching of post and start, complete and wait, as in the paper of locks.hpp. A rank that posts claims a free slot of the other's list and
// enters its number there. Complete counts at the rank that has posted. tests/models/pscw.pml proves it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/atomics.hpp"
#include "base/status.hpp"

namespace halocline::core::mpi {

/// A rank's words, in memory that all ranks reach. A rank has at most one entry in another's list: it posts again only after its wait, and
/// that ends after the other has started.
///
///   | 32 slots | completed | a bit per rank, if there are more ranks than slots or several nodes |
///
/// - A slot is 0 if it is free, else the number of a rank, counted from 1. The rank that posts claims it by compare and swap; the owner of
///   the list frees it. A rank looks for a free slot from its own number on: up to 32 ranks never meet in one.
/// - completed counts what the ranks that access this one have completed. No rank resets it.
/// - The bits are for ranks that have found no free slot: post must not wait for others (MPI 4.1, section 12.5.2). Ranks of other nodes
///   always set theirs, as that needs no reply.
struct PostWords {
  static constexpr int kSlots = 32;

  alignas(kLinePair) std::atomic<std::uint64_t> slots[kSlots];
  alignas(kLinePair) std::atomic<std::uint64_t> completed;
};

/// Whether there are bits, and the bytes of a rank's words.
constexpr bool has_post_bits(int ranks, bool spans_nodes) { return spans_nodes || ranks > PostWords::kSlots; }
constexpr std::int64_t post_bytes(int ranks, bool has_bits) {
  return static_cast<std::int64_t>(sizeof(PostWords)) + (has_bits ? (std::int64_t{ranks} + 63) / 64 * 8 : 0);
}

/// Where words are, in bytes from the beginning.
constexpr std::int64_t slot_offset(int rank, int step) { return std::int64_t{8} * ((rank + step) % PostWords::kSlots); }
constexpr std::int64_t bit_offset(int rank) { return static_cast<std::int64_t>(sizeof(PostWords)) + std::int64_t{8} * (rank / 64); }
constexpr std::uint64_t bit_of(int rank) { return std::uint64_t{1} << (rank % 64); }
constexpr std::int64_t completed_offset() { return static_cast<std::int64_t>(offsetof(PostWords, completed)); }

/// Sets a rank's bit at another.
template <class WordAt>
Status set_post_bit(int rank, WordAt word_at) {
  // SYNC access-before-post (pairs with take_post)
  return word_at(bit_offset(rank)).set_bits(bit_of(rank), std::memory_order_release);
}

/// Enters a rank in the list of another of its node; word_at(offset) gives the other's words (word_concept.hpp). Does not wait.
template <class WordAt>
Status enter_post(int rank, WordAt word_at) {
  Status done = Status::again;
  for (int step = 0; done == Status::again && step < PostWords::kSlots; ++step) {
    const auto slot = word_at(slot_offset(rank, step));
    std::uint64_t seen = 0;
    // SYNC access-before-post (pairs with take_post)
    while (done == Status::again && seen == 0) done = slot.swap(&seen, static_cast<std::uint64_t>(rank) + 1, std::memory_order_release);
  }
  return done == Status::again ? set_post_bit(rank, word_at) : done;
}

/// For the owner of a list: true if the rank has posted, whose entry is then taken out. One thread at a time.
inline bool take_post(PostWords &mine, int rank, bool has_bits) {
  for (int step = 0; step < PostWords::kSlots; ++step) {
    std::atomic<std::uint64_t> &slot = mine.slots[(rank + step) % PostWords::kSlots];
    // SYNC access-before-post (pairs with enter_post)
    if (slot.load(std::memory_order_acquire) != static_cast<std::uint64_t>(rank) + 1) continue;
    slot.store(0, std::memory_order_relaxed);
    return true;
  }
  if (!has_bits) return false;
  auto &bits = *reinterpret_cast<std::atomic<std::uint64_t> *>(reinterpret_cast<char *>(&mine) + bit_offset(rank));
  // SYNC access-before-post (pairs with enter_post)
  if (!(bits.load(std::memory_order_acquire) & bit_of(rank))) return false;
  bits.fetch_and(~bit_of(rank), std::memory_order_relaxed);
  return true;
}

/// Counts one more completed access at the rank that has posted.
template <class Word>
Status count_completed(Word completed) {
  // SYNC access-before-completed (pairs with has_completed)
  return completed.add(1, std::memory_order_release);
}

/// True if this number of accesses has been completed since the window was created.
inline bool has_completed(const PostWords &mine, std::uint64_t count) {
  // SYNC access-before-completed (pairs with count_completed)
  return mine.completed.load(std::memory_order_acquire) >= count;
}

}  // namespace halocline::core::mpi
