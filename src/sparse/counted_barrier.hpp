// A barrier whose notifications say how many messages each rank is to receive. The counts go from round to round towards their ranks
// (node_rounds.hpp), and are added up where they meet. After the last round a rank has the sum of all counts that are for it: a
// reduce_scatter of a vector that is almost empty. A notification to another node also carries a short message for the rank that it goes to,
// which so needs no transfer of its own.
//
// Counts for many different ranks may meet at one rank. A rank holds at most as many as fit into a list, and drops them all otherwise. So that
// all ranks know of that, each also learns the most counts that any rank has begun with. From this number follows for all of them alike
// whether any list can have been too short (`is_exact`).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rma/segment.hpp"
#include "sparse/node_rounds.hpp"
#include "sparse/sparse_slots.hpp"

namespace halocline::core {

/// The barriers of one exchange after the other, by one thread at a time. Consecutive ones use two lists per round in turn.
class CountedBarrier {
 public:
  CountedBarrier(Segment &segment, SparseReceiver &receiver) : segment_(segment), receiver_(receiver) {}

  /// `layout` says where the lists are in each rank's memory.
  void set(const NodeRounds &order, const SparseLayout &layout);
  /// Forgets what was counted and carried, for the next barrier.
  void clear();
  /// A message that a notification is to carry.
  struct Carried {
    int rank = -1;
    const char *data = nullptr;
    std::int64_t bytes = 0;
  };
  /// Before `enter`: takes a message, whose data stay until `look` returns ok; false if no notification can carry it.
  bool carry(const Carried &message);
  /// Before `enter`: counts one more message for a rank, also if it is carried.
  void count(int rank) { add({rank, 1}); }
  /// Enters the barrier of exchange `number`. The previous one has been passed.
  void enter(std::uint64_t number);
  /// Notifies other ranks as far as possible: ok once all ranks have entered it, `again` until then. `call` is the caller's name in messages.
  Status look(const char *call);
  /// While `look` returns `again`: the rank that it waits for.
  int awaited() const { return order_.below(rounds_.round()); }

  // After that:
  /// The same on all ranks: whether `expected` can be relied on.
  bool is_exact() const;
  /// How many messages this rank is to receive.
  std::int64_t expected() const { return counts_.empty() ? 0 : counts_.front().messages; }

 private:
  struct Count {
    std::int32_t rank, messages;
  };
  /// The header of a notification; the counts follow, then as many bytes of a SparsePiece.
  struct Head {
    std::int32_t most, counts;
    std::int64_t piece_bytes;
  };
  static_assert(sizeof(Count) == SparseLayout::kCountBytes && sizeof(Head) == SparseLayout::kHeadBytes);

  void add(const Count &count);
  char *write_counts(int round, Head &head);
  char *write_piece(int round, Head &head, char *next) const;
  Status send(const char *call, int round);
  Status receive(int round);

  Segment &segment_;
  SparseReceiver &receiver_;
  NodeRounds order_;
  SparseLayout layout_;
  RoundsPassed rounds_;
  std::uint64_t number_ = 0;
  std::vector<Count> counts_;  // by rank
  std::vector<Carried> carried_;  // by round
  std::vector<char> list_;  // what is sent
  bool dropped_ = false;
  std::int32_t most_ = 0;  // counts that a rank has begun with, of those that are known
};

}  // namespace halocline::core
