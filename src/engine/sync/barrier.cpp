// A dissemination barrier. In round k each rank raises a word of the rank 2^k above it, and waits until its own of that round is raised.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sync/barrier.hpp"

#include <string>

#include "engine/communicator/missing.hpp"
#include "engine/rma/await.hpp"
#include "engine/sync/dissemination.hpp"

namespace halocline::core {
namespace {

constexpr const char *kBarrier = "hlc_barrier";

Status await_round(const Segment &segment, int round, std::uint32_t number, int from) {
  const NotificationWords &words = segment.mine().words();
  // SYNC barrier-round (pairs with the raise of the neighbour's same round)
  // SYNC later-before-earlier (pairs with NotificationWords::raise)
  return await(
      segment, CallName::barrier, [&] { return words.has_risen(round, number); },
      [&](const WaitStatus &failure) {
        if (failure.dead_rank >= 0)
          return fail(failure.status, "hlc_barrier: rank %d waits for %s, and the process of rank %d has ended", segment.rank(),
                      segment.name_of(from).c_str(), failure.dead_rank);
        const std::string missing = name_missing_members(segment.communicator(), {CallName::barrier, segment.plan()});
        return fail(failure.status, "hlc_barrier: rank %d timed out after %lld s waiting for %s (HALOCLINE_TIMEOUT)", segment.rank(),
                    most_seconds(segment), missing.empty() ? segment.name_of(from).c_str() : missing.c_str());
      },
      from);
}

Status pass_rounds(Segment &segment, std::uint32_t number) {
  const Dissemination order(segment.rank(), segment.communicator().size());
  const auto notify = [&](int round) { return raise_round(kBarrier, segment, {round, number}); };
  const auto await = [&](int round) { return await_round(segment, round, number, order.below(round)); };
  return RoundsPassed().pass(order.rounds(), notify, await);
}

}  // namespace

Status raise_round(const char *call, Segment &segment, MonotonicWord round) {
  const Dissemination order(segment.rank(), segment.communicator().size());
  // SYNC barrier-round (pairs with the look of the rank above)
  return segment.with(call, order.above(round.word), [&](const RemoteMemory &memory) { return raise_word(call, memory, round); });
}

Status raise_round_after_puts(const char *call, Segment &segment, MonotonicWord round) {
  const Dissemination order(segment.rank(), segment.communicator().size());
  // SYNC barrier-round (pairs with the look of the rank above)
  return segment.with(call, order.above(round.word),
                      [&](const RemoteMemory &memory) { return raise_word_after_puts(call, memory, round); });
}

Status barrier(Segment &segment) {
  if (segment.barriers.failed)
    return fail(Status::state, "hlc_barrier on rank %d: an earlier barrier of this segment has failed", segment.rank());
  const std::uint32_t number = segment.barriers.next();
  segment.barriers.failed = true;
  HLC_TRY(pass_rounds(segment, number));
  HLC_TRY(segment.flush_outgoing(kBarrier));
  segment.barriers.failed = false;
  return Status::ok;
}

}  // namespace halocline::core
