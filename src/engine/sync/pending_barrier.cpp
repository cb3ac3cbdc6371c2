// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sync/pending_barrier.hpp"

#include "engine/sync/barrier.hpp"

namespace halocline::core {

void PendingBarrier::enter() {
  number_ = segment_.barriers.next();
  rounds_.restart();
}

Status PendingBarrier::look(const char *call) {
  const Dissemination order(segment_.rank(), segment_.communicator().size());
  const auto notify = [&](int round) {
    const MonotonicWord word{round, number_};
    return completes_puts_ ? raise_round_after_puts(call, segment_, word) : raise_round(call, segment_, word);
  };
  // SYNC barrier-round (pairs with the raise of the neighbour's same round)
  const auto has_arrived = [&](int round) { return segment_.mine().words().has_risen(round, number_) ? Status::ok : Status::again; };
  return rounds_.pass(order.rounds(), notify, has_arrived);
}

int PendingBarrier::awaited() const { return Dissemination(segment_.rank(), segment_.communicator().size()).below(rounds_.round()); }

}  // namespace halocline::core
