// The protocol of waits for the progress of peers: look, pause, now and then look for failures, look once more, then fail.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/status.hpp"
#include "engine/communicator/wait.hpp"

namespace halocline::core {

/// The time at which a timeout ends, counted from the first wait.
class Deadline {
 public:
  static constexpr std::uint64_t kForever_ms = std::uint64_t{1} << 40;  // decades

  constexpr Deadline(std::uint64_t timeout_ms) : timeout_ms_(timeout_ms) {}  // NOLINT(google-explicit-constructor): a timeout is one
  /// True for a timeout of 0: nothing is waited for.
  bool looks_once() const { return timeout_ms_ == 0; }
  void begin() {
    if (end_ns_ == 0 && !is_forever()) end_ns_ = now_ns() + static_cast<std::int64_t>(timeout_ms_) * 1'000'000;
  }
  bool over() const { return !is_forever() && now_ns() >= end_ns_; }

 private:
  bool is_forever() const { return timeout_ms_ >= kForever_ms; }

  std::uint64_t timeout_ms_;
  std::int64_t end_ns_ = 0;
};

/// As wait_until, for a caller that has just looked: it begins with a pause.
template <class Look, class FindFailure>
Status pause_until(Wait &wait, Look look, FindFailure find_failure, Deadline deadline = Deadline::kForever_ms) {
  const RecordedWait recorded(wait);
  deadline.begin();
  while (true) {
    const Status failure = wait.pause() == Wait::Turn::check_peers ? find_failure() : Status::ok;
    if (const Status found = look(); found != Status::again) return found;
    if (failed(failure) && !wait.has_restarted()) return failure;
    if (deadline.over()) return Status::again;
  }
}

/// Waits until look() returns anything but `again`, and returns that. Between two looks it pauses. After some pauses it calls
/// find_failure(), which fails if a peer has ended, or the time limit of the wait has passed. What a peer did before it died counts: so it
/// looks once more, and returns the failure only if it still finds nothing. A look that finds a part calls wait.progress(), and waiting
/// starts again. Returns `again` once the deadline is over.
template <class Look, class FindFailure>
Status wait_until(Wait &wait, Look look, FindFailure find_failure, Deadline deadline = Deadline::kForever_ms) {
  const Status found = look();
  return found != Status::again ? found : pause_until(wait, look, find_failure, deadline);
}

}  // namespace halocline::core
