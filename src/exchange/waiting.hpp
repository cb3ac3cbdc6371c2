// How an exchange waits: for what a step looks for, and for whom there is still hope.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/atomics.hpp"
#include "engine/communicator/wait.hpp"
#include "exchange/channels.hpp"
#include "exchange/check.hpp"

namespace halocline {

class Waiting {
 public:
  Waiting(const Plan &plan, const Channels &channels) : plan_(plan), channels_(channels) {}
  Waiting(const Waiting &) = delete;
  Waiting &operator=(const Waiting &) = delete;

  /// From now on a wait ends when a neighbour has given the round up.
  void heed(Check &check) { check_ = &check; }

  /// Repeats a step until it no longer answers `again`. A step says through `progress` that it has moved on, which makes the waiting short again. Now
  /// and then find_failed is asked whether there is still hope; what a peer did before it died counts, so the step is tried once more before the verdict.
  template <class Step, class FindFailed>
  Status until(Step step, FindFailed find_failed);

  /// Fails if a rank has died, or has been waited for too long.
  Status suspect_rank(int rank, Member member, bool timed_out);
  /// Any neighbour of the round may have died; which one a mode waits for, the mode itself may not know.
  Status suspect_all(int rank, bool timed_out);
  /// Check mode waits for all neighbours, whether they take part in the round or not.
  Status suspect_peers(bool timed_out);

 private:
  /// What a peer does at the same time is there within so many looks: about a microsecond, less than it takes to prepare a wait.
  static constexpr int kFirstLooks = 32;

  /// Ok while there is hope.
  template <class FindFailed>
  Status check_failure(FindFailed find_failed, bool timed_out);
  Status look_for_lost() const;
  Status suspect_partners();
  void tell_lost() const;
  std::string where(int rank) const;
  std::string swap_text() const;

  const Plan &plan_;
  const Channels &channels_;
  Check *check_ = nullptr;  // null unless HALOCLINE_CHECK=1
  int dead_ = -1;  // a rank of this node whose process has ended
};

template <class Step, class FindFailed>
Status Waiting::until(Step step, FindFailed find_failed) {
  bool progress = false;
  channels_.wake_peers();
  for (int looks = plan_.context->core_per_rank() ? kFirstLooks : 1; looks > 0; --looks) {
    const Status status = step(&progress);
    if (status != Status::again) return status;
    cpu_pause();
  }
  // Nobody rings for a descriptor.
  Wait wait(*plan_.context, check_ ? WakeUp::by_polling : channels_.wake_up(), {CallName::swap, plan_.serial});
  while (true) {
    channels_.wake_peers();
    const bool ask = wait.pause() == Wait::Turn::check_peers;
    const Status verdict = ask ? check_failure(find_failed, wait.timed_out()) : Status::ok;
    progress = false;
    const Status status = step(&progress);
    if (status != Status::again) return status;
    if (progress) wait.progress();
    if (progress || !failed(verdict)) continue;
    tell_lost();
    return verdict;
  }
}

template <class FindFailed>
Status Waiting::check_failure(FindFailed find_failed, bool timed_out) {
  HLC_TRY(look_for_lost());
  HLC_TRY(suspect_partners());
  return find_failed(timed_out);
}

}  // namespace halocline
