// The notifications of a window: per rank, in shared memory, a counter for each notification and origin, then a value for each notification.
// An origin of the node changes them itself. One of another node sends a message, which the target's service carries out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "engine/rma/segment.hpp"
#include "faces/mpi/window/comm_context.hpp"

namespace halocline::core::mpi {

/// A part per rank:
///
///   | counters: a row of an entry per origin for each notification | a value per notification |
///
/// A counter is written by its origin alone, or for it by the service of its rank. A value is written by any rank, and reset by its own.
class NotifyBoard {
 public:
  using Word = std::atomic<std::uint64_t>;

  NotifyBoard(CommContext &comm, int count, bool several_threads)
      : mutex(several_threads), comm_(comm), count_(count), several_threads_(several_threads), ranks_(comm.context.size()) {}
  NotifyBoard(const NotifyBoard &) = delete;
  NotifyBoard &operator=(const NotifyBoard &) = delete;

  /// Makes the parts. Collective, the same status on all ranks.
  Status open();

  int count() const { return count_; }
  /// Where a word is in a part.
  std::int64_t counter_offset(int notification, int origin) const {
    return (std::int64_t{notification} * ranks_ + origin) * static_cast<std::int64_t>(sizeof(Word));
  }
  std::int64_t value_offset(int notification) const {
    return (std::int64_t{count_} * ranks_ + notification) * static_cast<std::int64_t>(sizeof(Word));
  }

  /// Counts an arrival at a rank of this node. What the caller has done before at the target is seen with it.
  void count_here(int rank, int notification) const {
    Word &word = word_here(rank, counter_offset(notification, comm_.context.rank()));
    // SYNC access-before-arrival (pairs with arrived): a counter has one writer, unless several threads are.
    if (several_threads_)
      word.fetch_add(1, std::memory_order_release);
    else
      word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Sets a value at a rank of this node.
  void set_here(int rank, int notification, std::uint64_t value) const {
    // SYNC access-before-arrival (pairs with seen)
    word_here(rank, value_offset(notification)).store(value, std::memory_order_release);
  }
  /// How many arrivals this rank has counted of an origin.
  std::uint64_t arrived(int notification, int origin) const {
    // SYNC access-before-arrival (pairs with count_here and do_as_asked)
    return mine_[std::int64_t{notification} * ranks_ + origin].load(std::memory_order_acquire);
  }
  /// A value of this rank.
  std::uint64_t seen(int notification) const {
    // SYNC access-before-arrival (pairs with set_here and do_as_asked)
    return mine_[std::int64_t{count_} * ranks_ + notification].load(std::memory_order_acquire);
  }
  std::uint64_t take(int notification) const {
    // SYNC access-before-arrival (pairs with set_here and do_as_asked)
    return mine_[std::int64_t{count_} * ranks_ + notification].exchange(0, std::memory_order_acquire);
  }

  /// The words of a rank of another node, for the engine's operations.
  RemoteMemory far(int rank) const { return segment_->memory_of(rank); }

  /// Of this rank's requests, which share what has arrived.
  OptionalMutex mutex;
  /// How many arrivals of an origin requests have matched.
  std::uint64_t &matched_of(int notification, int origin) HLC_REQUIRES(mutex) {
    return matched_[static_cast<std::size_t>(notification) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(origin)];
  }
  std::atomic<int> requests{0};  // that have not been freed

 private:
  [[gnu::always_inline]] Word &word_here(int rank, std::int64_t offset) const {
    return *reinterpret_cast<Word *>(parts_[static_cast<std::size_t>(comm_.member_of(rank))] + offset);
  }
  std::int64_t bytes() const { return value_offset(count_); }

  std::vector<std::uint64_t> matched_ HLC_GUARDED_BY(mutex);
  CommContext &comm_;
  int count_;
  bool several_threads_;
  int ranks_;
  std::vector<char *> parts_;  // by member
  Word *mine_ = nullptr;
  SharedMemory region_;  // if there is one node, else
  std::unique_ptr<Segment> segment_;
};

}  // namespace halocline::core::mpi
