// Notifications, with data and without, and waiting for those of a segment.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/arguments.hpp"
#include "engine/rma/await.hpp"
#include "engine/rma/copy.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline::core {
namespace {

Status check_ids(const Segment &segment, const char *call, hlc_ids ids, const int *id) {
  if (!id) return fail(Status::argument, "%s on rank %d: id is NULL", call, segment.rank());
  if (ids.first < 0 || ids.first >= segment.notifications()) return wrong_id(call, segment.mine(), "ids.first", ids.first);
  if (ids.count < 1 || ids.count > segment.notifications() - ids.first)
    return fail(Status::argument, "%s on rank %d: ids.count is %d; with ids.first %d it must be 1 to %d", call, segment.rank(), ids.count,
                ids.first, segment.notifications() - ids.first);
  return Status::ok;
}

/// Sets a notification of memory on this node.
void raise_notification(const RemoteMemory &memory, hlc_notification notification) {
  memory.words().notifications.set(notification.id, notification.value);
  memory.ring();
}

/// Raises a word of memory on this node.
void lift(const RemoteMemory &memory, MonotonicWord word) {
  memory.words().raise(word.word, word.number);
  memory.communicator().doorbell().ring(memory.member());
}

/// How a message or immediate data name a word.
hlc_notification as_notification(const RemoteMemory &memory, MonotonicWord word) { return {memory.monotonic(word.word), word.number}; }

[[gnu::noinline]] Status put_notify_unmapped(const char *call, Target to, Source source, hlc_notification notification) {
  if (!to.memory.is_near()) return RemoteRma(to.memory).put_notify(call, to.offset, source, notification);
  HLC_TRY(put(call, to, source));
  raise_notification(to.memory, notification);
  return Status::ok;
}

}  // namespace

Status put_notify(const char *call, Target to, Source source, hlc_notification notification) {
  char *place = nullptr;
  if (!is_notification(to.memory, notification)) return wrong_notification(call, to.memory, notification);
  if (!is_data(source.data, source.bytes)) return wrong_data(call, to, source.bytes);
  if (!find_path(to, {0, source.bytes}, &place)) return wrong_extent(call, to, {0, source.bytes});
  if (!place) return put_notify_unmapped(call, to, source, notification);
  copy_bytes(place, source.data, source.bytes);
  raise_notification(to.memory, notification);
  return Status::ok;
}

Status put_and_set(const char *call, Target to, Source source, hlc_notification notification) {
  if (!is_notification(to.memory, notification)) return wrong_notification(call, to.memory, notification);
  HLC_TRY(put(call, to, source));
  to.memory.words().notifications.set(notification.id, notification.value);
  return Status::ok;
}

Status put_notify(const char *call, Target to, Source source, hlc_notification notification, PendingNotify &pending) {
  if (to.memory.is_near()) return put_notify(call, to, source, notification);
  char *place = nullptr;
  if (!is_notification(to.memory, notification)) return wrong_notification(call, to.memory, notification);
  if (!is_data(source.data, source.bytes)) return wrong_data(call, to, source.bytes);
  if (!find_path(to, {0, source.bytes}, &place)) return wrong_extent(call, to, {0, source.bytes});
  return RemoteRma(to.memory).put_notify(call, to.offset, source, notification, pending);
}

Status notify(const char *call, const RemoteMemory &memory, hlc_notification notification) {
  if (!is_notification(memory, notification)) return wrong_notification(call, memory, notification);
  if (!memory.is_near()) return RemoteRma(memory).notify(call, notification);
  raise_notification(memory, notification);
  return Status::ok;
}

Status notify_in_order(const char *call, const RemoteMemory &memory, hlc_notification notification, PendingNotify &pending) {
  if (memory.is_near()) return notify(call, memory, notification);
  if (!is_notification(memory, notification)) return wrong_notification(call, memory, notification);
  return RemoteRma(memory).notify_in_order(call, notification, pending);
}

Status put_and_raise(const char *call, Target to, Source source, MonotonicWord word, PendingNotify &pending) {
  if (!to.memory.is_near()) return RemoteRma(to.memory).put_notify(call, to.offset, source, as_notification(to.memory, word), pending);
  HLC_TRY(put(call, to, source));
  lift(to.memory, word);
  return Status::ok;
}

Status raise_word(const char *call, const RemoteMemory &memory, MonotonicWord word) {
  if (!memory.is_near()) return RemoteRma(memory).notify(call, as_notification(memory, word));
  lift(memory, word);
  return Status::ok;
}

Status raise_word_after_puts(const char *call, const RemoteMemory &memory, MonotonicWord word) {
  if (!memory.is_near()) return RemoteRma(memory).raise_in_order(call, as_notification(memory, word));
  lift(memory, word);
  return Status::ok;
}

Status notify_test(const char *call, Segment &segment, hlc_ids ids, int *id) {
  HLC_TRY(check_ids(segment, call, ids, id));
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

Status notify_wait(CallName name, Segment &segment, hlc_ids ids, int *id) {
  const char *call = name_of(name);
  HLC_TRY(check_ids(segment, call, ids, id));
  const int end = ids.first + ids.count;
  const auto there = [&] {
    *id = segment.find(ids.first, end);
    return *id != end;
  };
  return await(segment, name, there, [&](const WaitStatus &failure) {
    if (failure.dead_rank >= 0)
      return fail(failure.status, "%s: rank %d waits for a notification of %d to %d, and the process of rank %d has ended", call,
                  segment.rank(), ids.first, end - 1, failure.dead_rank);
    return fail(failure.status, "%s: rank %d timed out after %lld s waiting for a notification of %d to %d (HALOCLINE_TIMEOUT)", call,
                segment.rank(), most_seconds(segment), ids.first, end - 1);
  });
}

Status notify_reset(const char *call, Segment &segment, int id, std::uint32_t *value) {
  if (!value) return fail(Status::argument, "%s on rank %d: value is NULL", call, segment.rank());
  if (id < 0 || id >= segment.notifications()) return wrong_id(call, segment.mine(), "id", id);
  *value = segment.mine().words().notifications.take(id);
  if (*value != 0) return Status::ok;
  segment.poll();
  *value = segment.mine().words().notifications.take(id);
  return Status::ok;
}

}  // namespace halocline::core
