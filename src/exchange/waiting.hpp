// How an exchange waits: it repeats a step until that succeeds, a rank that it needs has died, or the time is over.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/atomics.hpp"
#include "engine/communicator/wait_until.hpp"
#include "exchange/channels.hpp"
#include "exchange/swap_times.hpp"

namespace halocline::core {

class Check;

class Waiting {
 public:
  Waiting(const Plan &plan, const Channels &channels) : plan_(plan), channels_(channels) {}
  Waiting(const Waiting &) = delete;
  Waiting &operator=(const Waiting &) = delete;

  /// From now on a wait ends when a neighbour has abandoned the round.
  void set_check(Check &check) { check_ = &check; }

  /// Repeats a step as wait_until does. A step that sets `progress` makes the pauses short again, and a failure then does not end the wait.
  template <class Step, class FindFailed>
  Status until(Step step, FindFailed find_failed);

  /// Fails if a rank has died, or has been waited for too long.
  Status check_alive(int rank, Member member, bool timed_out);
  /// The same for a rank that must do something before the wait can end. Fails also if it ends the plan meanwhile, after an interrupt or an
  /// error: then each would wait for the other.
  Status suspect_awaited(int rank, Member member, bool timed_out);
  /// True while this rank is in the call that ends the plan. It may have done its part of all swaps.
  bool ends_plan(Member member) const;
  /// A rank that ends the plan is waited for; -1: none is. Fails once it has been the same one for so long that what it may have sent would be here.
  Status suspect_ending(int rank);
  /// Any neighbour of the round may have died: a mode may not know for which one it waits.
  Status suspect_all(int rank, bool timed_out);
  /// Check mode waits for all neighbours, whether they take part in the round or not.
  Status suspect_peers(bool timed_out);

 private:
  /// What a peer does at the same time is visible within this number of polls: about a microsecond, less than it takes to prepare a wait.
  static constexpr int kFirstLooks = 32;

  /// Ok while the wait may still succeed.
  template <class FindFailed>
  Status check_failure(FindFailed find_failed, bool timed_out);
  Status look_for_lost() const;
  Status check_partners_alive();
  void report_lost() const;
  std::string where(int rank) const;
  std::string swap_text() const;

  const Plan &plan_;
  const Channels &channels_;
  Check *check_ = nullptr;  // null unless HALOCLINE_CHECK=1
  int dead_ = -1;  // a rank of this node whose process has ended
  int ending_ = -1, ending_checks_ = 0;  // the awaited rank that ends the plan; how often in a row it was found
  std::int64_t ending_since_ns_ = 0;  // since when
};

template <class Step, class FindFailed>
Status Waiting::until(Step step, FindFailed find_failed) {
  bool progress = false;
  ending_ = -1;
  channels_.wake_peers();
  for (int looks = plan_.topology->core_per_rank() ? kFirstLooks : 1; looks > 0; --looks) {
    const Status status = step(&progress);
    if (status != Status::again) return status;
    cpu_pause();
  }
  // No doorbell is rung for a descriptor.
  Wait wait(*plan_.communicator, check_ ? WakeUp::by_polling : channels_.wake_up(), {CallName::swap, plan_.times->plan().serial});
  Status found = Status::again;
  const auto look = [&] {
    progress = false;
    found = step(&progress);
    if (found != Status::again) return found;
    if (progress) wait.progress();
    channels_.wake_peers();
    return Status::again;
  };
  channels_.wake_peers();
  const Status status = pause_until(wait, look, [&] { return check_failure(find_failed, wait.timed_out()); });
  if (found == Status::again) report_lost();
  return status;
}

template <class FindFailed>
Status Waiting::check_failure(FindFailed find_failed, bool timed_out) {
  HLC_TRY(look_for_lost());
  HLC_TRY(check_partners_alive());
  return find_failed(timed_out);
}

}  // namespace halocline::core
