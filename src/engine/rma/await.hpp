// How the calls of a segment wait for a word of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/wait_until.hpp"
#include "engine/rma/segment.hpp"

namespace halocline::core {

/// Waits until `there` is true, for the rank `from` if it is known. `report(failure)` returns the failure with its message.
template <class There, class Report>
Status await(const Segment &segment, CallName name, There there, Report report, int from = -1) {
  Wait wait(segment.communicator(), WakeUp::by_doorbell, {name, segment.plan()});
  wait.expect(from);
  WaitStatus failure{Status::ok, -1};
  const auto find_failure = [&] {
    failure = segment.check_failure(wait);
    return failed(failure.status) ? failure.status : segment.check_network(name_of(name));
  };
  const Status status = wait_until(wait, [&] { return there() ? Status::ok : Status::again; }, find_failure);
  return failed(status) && failed(failure.status) ? report(failure) : status;
}

/// How long such a wait lasts at most, for messages.
inline long long most_seconds(const Segment &segment) {
  return static_cast<long long>(segment.communicator().timeout_ns() / 1'000'000'000);
}

}  // namespace halocline::core
