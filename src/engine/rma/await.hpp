// How the calls of a segment wait for a word of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/wait.hpp"
#include "engine/rma/segment.hpp"

namespace halocline::core {

/// Waits until `there` is true; what a peer did before it died still counts. `say(verdict)` returns the failure with its message.
template <class There, class Say>
Status await(const Segment &segment, CallName name, There there, Say say) {
  const char *call = name_of(name);
  Wait wait(segment.communicator(), WakeUp::by_doorbell, {name, segment.plan()});
  while (!there()) {
    if (wait.pause() == Wait::Turn::look_again) continue;
    const WaitStatus verdict = segment.check_failure(wait);
    if (failed(verdict.status)) return there() ? Status::ok : say(verdict);
    if (const Status cut_off = segment.check_network(call); failed(cut_off)) return there() ? Status::ok : cut_off;
  }
  return Status::ok;
}

/// How long such a wait lasts at most, for messages.
inline long long most_seconds(const Segment &segment) {
  return static_cast<long long>(segment.communicator().timeout_ns() / 1'000'000'000);
}

}  // namespace halocline::core
