// The end of a sparse exchange that sends. A message takes consecutive tickets of its target: one per piece that fits into a slot. Ticket t is
// for slot t modulo the number of slots. A piece is put once the target has taken the ticket a whole row of slots before. The target takes
// its slots in the order of tickets, so the pieces of a message follow each other. A message of a rank to itself takes none of this.
//
// A message to another node gets its place without a claim, whose reply it would have to wait for,
//   - if the target is a rank that this one notifies in the barrier, and the message is short: then it goes with that notification;
//   - or if it has up to 8 KiB, and the target has reserved slots for this rank (reserved_slots.hpp), for the first message to it.
// Other messages to another node are put several pieces at a time, as far as their slots follow each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/sparse.h>

#include <cstdint>
#include <vector>

#include "engine/rma/operations.hpp"
#include "engine/rma/segment.hpp"
#include "sparse/counted_barrier.hpp"
#include "sparse/reserved_slots.hpp"
#include "sparse/sparse_slots.hpp"

namespace halocline::core {

class SparseSender {
 public:
  /// Between nodes messages are counted for `counted`. `receiver` gets those of this rank to itself.
  SparseSender(const Segment &segment, const SparseReceiver &receiver, CountedBarrier &counted)
      : segment_(segment), receiver_(receiver), counted_(counted) {}
  SparseSender(const SparseSender &) = delete;
  SparseSender &operator=(const SparseSender &) = delete;
  ~SparseSender();

  void set(const SparseLayout &layout);
  /// Begins exchange `round`. The messages are copied, their data are not. All of the previous one have been put.
  void begin(int count, const hlc_sparse_message *messages, std::uint64_t round);
  /// Puts what its targets have slots for: ok once all has been put, `again` until then. `call` is the name of what is sent, in messages and
  /// for Segment::flush_outgoing.
  Status push(const char *call);
  bool is_done() const { return pushed_ == messages_.size(); }
  /// Whether what has not been put has its tickets.
  bool all_have_places() const;
  /// Counts all messages that targets will take from slots.
  void count_targets();
  /// While `push` returns `again`: the first rank that it waits for.
  int awaited() const { return messages_[pushed_].rank; }

 private:
  struct Outgoing {
    int rank;
    const char *data;
    std::int64_t bytes, pieces;
    std::int64_t next = 0;  // piece that has not been put
    bool claimed = false;  // or it has a slot that is reserved
    std::uint32_t first = 0;  // ticket
    std::uint32_t taken = 0;  // by the target, at the last look
    Query query{};
  };

  Status push_one(const RemoteMemory &memory, Outgoing &message);
  Status put_unclaimed(const RemoteMemory &memory, Outgoing &message);
  Status claim(const RemoteMemory &memory, Outgoing &message);
  Status look_at_taken(const RemoteMemory &memory, Outgoing &message);
  Status put(const RemoteMemory &memory, const Outgoing &message, std::uint32_t slot, std::int64_t slots);
  std::int64_t span_of(const RemoteMemory &memory, const Outgoing &message, std::uint32_t ticket) const;
  bool is_kept(const Outgoing &message) const;
  void keep_own();
  void ring_targets();

  const Segment &segment_;
  const SparseReceiver &receiver_;
  CountedBarrier &counted_;
  ReservedSlots reserved_;
  SparseLayout layout_;
  std::vector<char> outgoing_;  // a piece, as it is put
  const char *call_ = "";

  // Of the exchange that is outstanding:
  std::uint64_t round_ = 0;
  std::vector<Outgoing> messages_;
  std::size_t pushed_ = 0;  // all messages before this one have been put
  std::vector<Member> put_to_;  // of this node, to be woken; one per message at most
};

}  // namespace halocline::core
