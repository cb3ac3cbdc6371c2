// SPDX-License-Identifier: BSD-3-Clause
#include "sparse/counted_barrier.hpp"

#include <algorithm>
#include <cstring>

#include "engine/rma/operations.hpp"

namespace halocline::core {

void CountedBarrier::set(const NodeRounds &order, const SparseLayout &layout) {
  order_ = order;
  layout_ = layout;
  counts_.reserve(static_cast<std::size_t>(layout.most_counts()));
  carried_.resize(static_cast<std::size_t>(order.rounds()));
  list_.resize(static_cast<std::size_t>(SparseLayout::kFirstListSize));
}

void CountedBarrier::clear() {
  counts_.clear();
  std::fill(carried_.begin(), carried_.end(), Carried{});
  dropped_ = false;
  most_ = 0;
}

bool CountedBarrier::carry(const Carried &message) {
  const int round = order_.round_to(message.rank);
  if (round < 0 || message.bytes > SparseLayout::most_carried(round) || carried_[static_cast<std::size_t>(round)].rank >= 0) return false;
  carried_[static_cast<std::size_t>(round)] = message;
  return true;
}

void CountedBarrier::add(const Count &count) {
  if (dropped_) return;
  const auto at = std::lower_bound(counts_.begin(), counts_.end(), count.rank, [](const Count &one, int rank) { return one.rank < rank; });
  if (at != counts_.end() && at->rank == count.rank) {
    at->messages += count.messages;
  } else if (static_cast<std::int64_t>(counts_.size()) < layout_.most_counts()) {
    counts_.insert(at, count);
  } else {
    dropped_ = true;
    counts_.clear();
  }
}

void CountedBarrier::enter(std::uint64_t number) {
  number_ = number;
  most_ = static_cast<std::int32_t>(dropped_ ? layout_.most_counts() + 1 : static_cast<std::int64_t>(counts_.size()));
  rounds_.restart();
}

Status CountedBarrier::look(const char *call) {
  return rounds_.pass(order_.rounds(), [&](int round) { return send(call, round); }, [&](int round) { return receive(round); });
}

/// Moves what goes up in a round from the counts to the list; returns its end there.
char *CountedBarrier::write_counts(int round, Head &head) {
  char *next = list_.data() + sizeof head;
  std::size_t kept = 0;
  for (const Count &count : counts_) {
    if (!order_.goes_up(count.rank, round)) {
      counts_[kept++] = count;
      continue;
    }
    std::memcpy(next, &count, sizeof count);
    next += sizeof count;
    ++head.counts;
  }
  counts_.resize(kept);
  return next;
}

char *CountedBarrier::write_piece(int round, Head &head, char *next) const {
  const Carried &message = carried_[static_cast<std::size_t>(round)];
  if (message.rank < 0) return next;
  head.piece_bytes = SparsePiece::kBytesBefore + message.bytes;
  return write_piece_to(next, {number_, message.bytes, 0, segment_.rank(), static_cast<int>(SparseHead::slots_of(message.bytes))},
                        message.data);
}

/// The put copies its source.
Status CountedBarrier::send(const char *call, int round) {
  Head head{most_, 0, 0};
  char *counts_end = write_counts(round, head);
  const char *end = write_piece(round, head, counts_end);
  std::memcpy(list_.data(), &head, sizeof head);
  // SYNC read-two-exchanges-later (pairs with receive): the list that was there two exchanges ago has been read.
  const int list = SparseLayout::list_of(round, number_);
  // SYNC barrier-round (pairs with the look of the rank above)
  // SYNC counted-before-left (pairs with SparseExchange::receive_counted): messages may still be under way.
  return segment_.with(call, order_.above(round), [&](const RemoteMemory &memory) {
    return put_notify(call, {memory, layout_.list_at(list)}, {list_.data(), end - list_.data(), true}, {layout_.list_id(list), 1});
  });
}

Status CountedBarrier::receive(int round) {
  const int list = SparseLayout::list_of(round, number_);
  const RemoteMemory &mine = segment_.mine();
  // SYNC barrier-round (pairs with the send of the rank below in the same round).
  // SYNC read-two-exchanges-later (pairs with send): once this rank enters the next exchange it has read all lists of this one.
  if (mine.words().notifications.take(layout_.list_id(list)) == 0) return Status::again;
  const char *next = mine.data() + layout_.list_at(list);
  Head head;
  std::memcpy(&head, next, sizeof head);
  next += sizeof head;
  most_ = std::max(most_, head.most);
  for (std::int64_t i = 0; i < head.counts; ++i, next += sizeof(Count)) {
    Count count;
    std::memcpy(&count, next, sizeof count);
    add(count);
  }
  return head.piece_bytes > 0 ? receiver_.take(*reinterpret_cast<const SparsePiece *>(next)) : Status::ok;
}

bool CountedBarrier::is_exact() const {
  for (int round = 0; round < order_.rounds(); ++round)
    if (std::min(std::int64_t{most_} << round, order_.most_targets(round)) > layout_.most_counts()) return false;
  return true;
}

}  // namespace halocline::core
