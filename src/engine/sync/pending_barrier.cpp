// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sync/pending_barrier.hpp"

#include "engine/rma/operations.hpp"

namespace halocline::core {

void PendingBarrier::enter() {
  number_ = segment_.barriers.next();
  rounds_.restart();
}

Status PendingBarrier::look(const char *call) {
  const Dissemination order(segment_.rank(), segment_.communicator().size());
  // SYNC barrier-round (pairs with the look of the rank above)
  const auto notify = [&](int round) {
    return segment_.with(call, order.above(round), [&](const RemoteMemory &memory) { return raise_word(call, memory, {round, number_}); });
  };
  // SYNC barrier-round (pairs with the raise of the neighbour's same round)
  const auto has_come = [&](int round) { return segment_.mine().words().has_risen(round, number_) ? Status::ok : Status::again; };
  return rounds_.pass(order.rounds(), notify, has_come);
}

}  // namespace halocline::core
