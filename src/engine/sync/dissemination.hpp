// The rounds of a dissemination barrier. In round k each member notifies the member 2^k above it, and waits for the one 2^k below. After
// the last round each knows that all have begun.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/rounds.hpp"
#include "base/status.hpp"

namespace halocline::core {

/// The members that one of them notifies and waits for, by round.
class Dissemination {
 public:
  Dissemination(int index, int members) : index_(index), members_(members) {}

  int rounds() const { return doubling_rounds(static_cast<int>(members_)); }
  int above(int round) const { return static_cast<int>((index_ + (std::int64_t{1} << round)) % members_); }
  int below(int round) const { return static_cast<int>((index_ - (std::int64_t{1} << round) % members_ + members_) % members_); }

 private:
  std::int64_t index_, members_;
};

/// The position of one barrier in its rounds. The caller repeats `pass` until it returns anything but `again`.
class RoundsPassed {
 public:
  void restart() { *this = RoundsPassed(); }
  /// The round that it is in.
  int round() const { return round_; }
  /// In each round calls notify(round) until that succeeds, once, and await(round) until that succeeds. Both return statuses; `again` and
  /// failures end the call.
  template <class Notify, class Await>
  Status pass(int rounds, Notify notify, Await await) {
    for (; round_ < rounds; ++round_, notified_ = false) {
      if (const Status status = notified_ ? Status::ok : notify(round_); status != Status::ok) return status;
      notified_ = true;
      if (const Status status = await(round_); status != Status::ok) return status;
    }
    return Status::ok;
  }

 private:
  int round_ = 0;
  bool notified_ = false;
};

}  // namespace halocline::core
