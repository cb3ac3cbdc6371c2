// How the calls of a segment wait for a word of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/wait_until.hpp"
#include "engine/rma/segment.hpp"

namespace halocline::core {

/// Waits until `there` is true, for the rank `from` if it is known. `say(verdict)` returns the failure with its message.
template <class There, class Say>
Status await(const Segment &segment, CallName name, There there, Say say, int from = -1) {
  Wait wait(segment.communicator(), WakeUp::by_doorbell, {name, segment.plan()});
  wait.expect(from);
  WaitStatus verdict{Status::ok, -1};
  const auto find_failure = [&] {
    verdict = segment.check_failure(wait);
    return failed(verdict.status) ? verdict.status : segment.check_network(name_of(name));
  };
  const Status status = wait_until(wait, [&] { return there() ? Status::ok : Status::again; }, find_failure);
  return failed(status) && failed(verdict.status) ? say(verdict) : status;
}

/// How long such a wait lasts at most, for messages.
inline long long most_seconds(const Segment &segment) {
  return static_cast<long long>(segment.communicator().timeout_ns() / 1'000'000'000);
}

}  // namespace halocline::core
