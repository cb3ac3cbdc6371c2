// Who of a rank's threads has come how far in a swap of blocks. The lock is taken twice per part and swap; waiting threads look at words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <vector>

#include "base/atomics.hpp"
#include "base/status.hpp"

namespace halocline {

/// The rounds of the parts. A round: every part starts; the last one launches; one of those that come to finish drives; finished.
class Parts {
 public:
  explicit Parts(int parts) : in_flight_(static_cast<std::size_t>(parts)) {}

  /// What a part finds when it starts.
  enum class Entry : char { first, between, last };
  /// Runs `join` under the lock, as the first of the round or not; then the part is in flight. state: it is already, or a round has failed.
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
  /// The round has been launched by the last part to start it.
  void launched() {
    // SYNC started-before-finish (pairs with is_launched)
    launched_.value.store(round_, std::memory_order_release);
  }
  /// The round in which a part is; 0: in none.
  std::uint64_t round_of(int part);
  bool is_launched(std::uint64_t round) const {
    // SYNC started-before-finish (pairs with launched)
    return launched_.value.load(std::memory_order_acquire) >= round;
  }
  /// True for the first thread that asks in a round: it drives.
  bool drives(std::uint64_t round);
  /// The driver is done.
  void finished(std::uint64_t round) {
    // SYNC copied-before-finished (pairs with is_finished)
    finished_.value.store(round, std::memory_order_release);
  }
  bool is_finished(std::uint64_t round) const {
    // SYNC copied-before-finished (pairs with finished)
    return finished_.value.load(std::memory_order_acquire) >= round;
  }
  /// The part is in flight no more. Returns what became of its round, with the message.
  Status leave(int part);

  /// The running round has failed, with this thread's message: all parts get it, and none can start again.
  Status fail_round(Status status);
  /// The same with HLC_ERR_TIMEOUT, unless all parts have started meanwhile, which is ok.
  Status give_up_missing(int rank, int part, std::int64_t timeout_ns);

  int count() const { return static_cast<int>(in_flight_.size()); }
  bool any_in_flight();
  bool broken();

 private:
  Status may_start(int part);
  Status fail_locked(Status status);

  std::mutex mutex_;
  std::vector<std::uint64_t> in_flight_;  // the round in which each part is; 0: in none
  int started_ = 0;  // parts that have started the round that has not been launched
  std::uint64_t round_ = 0, failed_round_ = 0;
  std::atomic<std::uint64_t> driven_{0};
  Counter launched_, finished_;
  Status status_ = Status::ok;  // why a round has failed
  char message_[1024] = "";
};

}  // namespace halocline
