// The progress of each of a rank's threads in a swap of blocks. The lock is taken twice per part and swap; waiting threads only load words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <vector>

#include "base/atomics.hpp"
#include "base/status.hpp"

namespace halocline::core {

/// The rounds of the parts. In a round every part starts, and the last one launches the exchange. The first to finish drives it to the end.
class Parts {
 public:
  /// The parts of this rank.
  explicit Parts(int parts, int rank = 0) : rank_(rank), in_flight_(static_cast<std::size_t>(parts)) {}

  /// The order in which a part enters the round.
  enum class Entry : char { first, between, last };
  /// Runs `join(first of the round or not)` under the lock; then the part is in the round. Status::state: it is already, or a round has
  /// failed.
  template <class Join>
  Status start(int part, Join join, Entry *entry) {
    const std::lock_guard lock(mutex_);
    HLC_TRY(may_start(part));
    const bool first = started_ == 0;
    HLC_TRY(join(first));
    if (first) round_ += 1;
    in_flight_[static_cast<std::size_t>(part)] = round_;
    started_ += 1;
    *entry = started_ == count() ? Entry::last : first ? Entry::first : Entry::between;
    if (*entry == Entry::last) started_ = 0;
    return Status::ok;
  }
  /// Publishes that the last part to start has launched the round.
  void launched() {
    // SYNC started-before-finish (pairs with is_launched)
    launched_.value.store(round_, std::memory_order_release);
  }
  /// The round that a part is in; 0: none.
  std::uint64_t round_of(int part);
  bool is_launched(std::uint64_t round) const {
    // SYNC started-before-finish (pairs with launched)
    return launched_.value.load(std::memory_order_acquire) >= round;
  }
  /// True for the first thread that calls this in a round, which then drives.
  bool drives(std::uint64_t round);
  /// Publishes that the driving thread has completed the round.
  void finished(std::uint64_t round) {
    // SYNC copied-before-finished (pairs with is_finished)
    finished_.value.store(round, std::memory_order_release);
  }
  bool is_finished(std::uint64_t round) const {
    // SYNC copied-before-finished (pairs with finished)
    return finished_.value.load(std::memory_order_acquire) >= round;
  }
  /// The part leaves its round. Returns the round's status, with the message.
  Status leave(int part);

  /// Fails the running round with this thread's message: all parts get it, and none can start again.
  Status fail_round(Status status);
  /// The same with HLC_ERR_TIMEOUT. Returns ok if all parts have started meanwhile, or a round has failed already.
  Status give_up_missing(int part, std::int64_t timeout_ns);

  int count() const { return static_cast<int>(in_flight_.size()); }
  bool any_in_flight();
  bool broken();

 private:
  Status may_start(int part);
  Status fail_locked(Status status);

  const int rank_;
  std::mutex mutex_;
  std::vector<std::uint64_t> in_flight_;  // the round that each part is in; 0: none
  int started_ = 0;  // parts that have started the next round, which is not launched yet
  std::uint64_t round_ = 0, failed_round_ = 0;
  std::atomic<std::uint64_t> driven_{0};
  Counter launched_, finished_;
  Status status_ = Status::ok;  // why a round has failed
  char message_[1024] = "";
};

}  // namespace halocline::core
