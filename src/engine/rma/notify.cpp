// Notifications without data, waiting for notifications, and the barrier, which uses such words.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/missing.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core {
namespace {

constexpr const char *kBarrier = "hlc_barrier";

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

long long seconds_waited(const Segment &segment) { return static_cast<long long>(segment.communicator().timeout_ns() / 1'000'000'000); }

Status check_ids(const Segment &segment, const char *call, hlc_ids ids, const int *id) {
  if (!id) return fail(Status::argument, "%s on rank %d: id is NULL", call, segment.rank());
  if (ids.first < 0 || ids.first >= segment.notifications()) return segment.wrong_id(call, "ids.first", ids.first);
  if (ids.count < 1 || ids.count > segment.notifications() - ids.first)
    return fail(Status::argument, "%s on rank %d: ids.count is %d, with ids.first %d it must be 1 to %d", call, segment.rank(), ids.count,
                ids.first, segment.notifications() - ids.first);
  return Status::ok;
}

/// The words of a barrier are set to its number, which wraps around; a neighbour may be one barrier ahead.
bool has_come(std::uint32_t word, std::uint32_t number) { return static_cast<std::int32_t>(word - number) >= 0; }

Status await_round(const Segment &segment, int round, std::uint32_t number, int from) {
  const NotificationWords &words = segment.my_words();
  // SYNC barrier-round (pairs with the raise of the neighbour's same round)
  // SYNC later-before-earlier (pairs with NotificationWords::raise)
  return await(
      segment, CallName::barrier, [&] { return has_come(words.risen(round), number); },
      [&](const WaitStatus &verdict) {
        if (verdict.dead_rank >= 0)
          return fail(verdict.status, "hlc_barrier: rank %d waits for %s, and the process of rank %d has ended", segment.rank(),
                      segment.name_of(from).c_str(), verdict.dead_rank);
        const std::string missing = name_missing_members(segment.communicator(), {CallName::barrier, segment.plan()});
        return fail(verdict.status, "hlc_barrier: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", segment.rank(),
                    seconds_waited(segment), missing.empty() ? segment.name_of(from).c_str() : missing.c_str());
      });
}

/// One round: notifies the rank `distance` above, waits for the one `distance` below.
Status pass_round(Segment &segment, int round, std::int64_t distance, std::uint32_t number) {
  const std::int64_t me = segment.rank(), ranks = segment.communicator().size();
  const auto above = static_cast<int>((me + distance) % ranks), below = static_cast<int>((me - distance + ranks) % ranks);
  // SYNC barrier-round (pairs with await_round of the rank above)
  HLC_TRY(segment.tell_round(kBarrier, above, round, number));
  return await_round(segment, round, number, below);
}

}  // namespace

Status notify(Segment &segment, int rank, hlc_notification notification) {
  HLC_TRY(segment.check("hlc_notify", rank, notification));
  return segment.tell("hlc_notify", rank, notification);
}

Status notify_test(Segment &segment, hlc_ids ids, int *id) {
  HLC_TRY(check_ids(segment, "hlc_notify_test", ids, id));
  const int end = ids.first + ids.count;
  int found = segment.find(ids.first, end);
  if (found == end) {
    segment.poll();
    found = segment.find(ids.first, end);
  }
  if (found == end) return Status::again;
  *id = found;
  return Status::ok;
}

Status notify_wait(Segment &segment, hlc_ids ids, int *id) {
  HLC_TRY(check_ids(segment, "hlc_notify_wait", ids, id));
  const int end = ids.first + ids.count;
  const auto there = [&] {
    *id = segment.find(ids.first, end);
    return *id != end;
  };
  return await(segment, CallName::notify_wait, there, [&](const WaitStatus &verdict) {
    if (verdict.dead_rank >= 0)
      return fail(verdict.status, "hlc_notify_wait: rank %d waits for a notification of %d to %d, and the process of rank %d has ended",
                  segment.rank(), ids.first, end - 1, verdict.dead_rank);
    return fail(verdict.status, "hlc_notify_wait: rank %d has waited %lld s for a notification of %d to %d (HALOCLINE_TIMEOUT)",
                segment.rank(), seconds_waited(segment), ids.first, end - 1);
  });
}

Status notify_reset(Segment &segment, int id, std::uint32_t *value) {
  if (!value) return fail(Status::argument, "hlc_notify_reset on rank %d: value is NULL", segment.rank());
  if (id < 0 || id >= segment.notifications()) return segment.wrong_id("hlc_notify_reset", "id", id);
  *value = segment.my_words().notifications.take(id);
  if (*value != 0) return Status::ok;
  segment.poll();
  *value = segment.my_words().notifications.take(id);
  return Status::ok;
}

Status barrier(Segment &segment) {
  if (segment.barrier_failed)
    return fail(Status::state, "hlc_barrier on rank %d: an earlier barrier of this segment has failed", segment.rank());
  const std::uint32_t number = segment.next_barrier();
  segment.barrier_failed = true;
  int round = 0;
  for (std::int64_t distance = 1; distance < segment.communicator().size(); distance *= 2, ++round)
    HLC_TRY(pass_round(segment, round, distance, number));
  HLC_TRY(segment.flush_outgoing(kBarrier));
  segment.barrier_failed = false;
  return Status::ok;
}

}  // namespace halocline::core
