// Notifications without data, and waiting for notifications.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/await.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core {
namespace {

Status check_ids(const Segment &segment, const char *call, hlc_ids ids, const int *id) {
  if (!id) return fail(Status::argument, "%s on rank %d: id is NULL", call, segment.rank());
  if (ids.first < 0 || ids.first >= segment.notifications()) return segment.wrong_id(call, "ids.first", ids.first);
  if (ids.count < 1 || ids.count > segment.notifications() - ids.first)
    return fail(Status::argument, "%s on rank %d: ids.count is %d, with ids.first %d it must be 1 to %d", call, segment.rank(), ids.count,
                ids.first, segment.notifications() - ids.first);
  return Status::ok;
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
                segment.rank(), most_seconds(segment), ids.first, end - 1);
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

}  // namespace halocline::core
