// GASPI 17.1, section 8: reading, writing, notifications.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;
using halocline::core::LocalMemory;
using halocline::core::RemoteMemory;
using halocline::core::Status;
using halocline::core::Target;

namespace {

constexpr const char *kWaitsome = "gaspi_notify_waitsome";

/// Notifications of a segment that are waited for, and how many lost ranks were known when the wait began.
struct Range {
  int first, end, known;
};

/// Looks for a notification; if there is none, once more after ended reads have set theirs. Fails if a rank is newly lost: it may have been
/// the one to set the notification.
Status look_for(Job &job, const LocalMemory &own, const Range &range, gaspi_notification_id_t *id) {
  int found = own.words().notifications.find(range.first, range.end);
  if (found == range.end && job.reads.look()) found = own.words().notifications.find(range.first, range.end);
  if (found == range.end) {
    const Status loss = job.watch.send_notice(kWaitsome, range.known);
    return halocline::core::failed(loss) ? loss : Status::again;
  }
  *id = static_cast<gaspi_notification_id_t>(found);
  return Status::ok;
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are the specification's

gaspi_return_t pgaspi_write(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                            gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size, gaspi_queue_id_t queue,
                            gaspi_timeout_t timeout_ms) {
  const Move move{segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  return enter([&](Job &job) {
    std::int64_t done = 0;
    const auto write = [&](RemoteMemory &part, const char *data) {
      note_write(job, part);
      return put("gaspi_write", Target{part, signed_of(offset_remote)}, {data, signed_of(size)}, done);
    };
    return count_write(job, post_move(job, "gaspi_write", move, queue, timeout_ms, write), size);
  });
}

gaspi_return_t pgaspi_read(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                           gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size, gaspi_queue_id_t queue,
                           gaspi_timeout_t timeout_ms) {
  const Move move{segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  return enter([&](Job &job) {
    std::int64_t done = 0;
    const auto read = [&](RemoteMemory &part, char *data) {
      return get("gaspi_read", Target{part, signed_of(offset_remote)}, {data, signed_of(size)}, done);
    };
    return count_read(job, post_move(job, "gaspi_read", move, queue, timeout_ms, read), size);
  });
}

gaspi_return_t pgaspi_write_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                   gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                   gaspi_notification_id_t notification_id, gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                   gaspi_timeout_t timeout_ms) {
  const Move move{segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  return enter([&](Job &job) {
    if (const gaspi_return_t wrong = check_notification(job, notification_id, notification_value); wrong != GASPI_SUCCESS) return wrong;
    halocline::core::PendingNotify pending;
    const auto write = [&](RemoteMemory &part, const char *data) {
      note_write(job, part);
      return put_notify("gaspi_write_notify", Target{part, signed_of(offset_remote)}, {data, signed_of(size)},
                        {static_cast<int>(notification_id), notification_value}, pending);
    };
    const gaspi_return_t posted = post_move(job, "gaspi_write_notify", move, queue, timeout_ms, write);
    return count_notification(job, count_write(job, posted, size));
  });
}

gaspi_return_t pgaspi_read_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                  gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                  gaspi_notification_id_t notification_id, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const Move move{segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  return enter([&](Job &job) {
    if (notification_id >= job.config.notification_num) return GASPI_ERR_INV_NOTIF_ID;
    const std::shared_ptr<LocalMemory> own = job.parts.keep(segment_id_local);
    std::int64_t done = 0;
    const auto read = [&](RemoteMemory &part, char *data) {
      const Status begun = get("gaspi_read_notify", Target{part, signed_of(offset_remote)}, {data, signed_of(size)}, done);
      if (begun != Status::ok) return begun;
      job.reads.notify_after(part, own, static_cast<int>(notification_id));
      return Status::ok;
    };
    return count_read(job, post_move(job, "gaspi_read_notify", move, queue, timeout_ms, read), size);
  });
}

gaspi_return_t pgaspi_notify(gaspi_segment_id_t segment_id_remote, gaspi_rank_t rank, gaspi_notification_id_t notification_id,
                             gaspi_notification_t notification_value, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    const gaspi_return_t wrong = first_wrong(check_queue(job, queue), check_rank(job, rank, segment_id_remote),
                                             check_notification(job, notification_id, notification_value));
    if (wrong != GASPI_SUCCESS) return wrong;
    halocline::core::PendingNotify pending;
    const Route route{"gaspi_notify", rank, segment_id_remote, queue};
    const hlc_notification notification{static_cast<int>(notification_id), notification_value};
    const auto notify = [&](RemoteMemory &part) {
      return begin(job, route, part, [&] { return notify_in_order(route.call, part, notification, pending); });
    };
    return count_notification(job, post(job, route, timeout_ms, notify));
  });
}

gaspi_return_t pgaspi_notify_waitsome(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_begin, gaspi_number_t num,
                                      gaspi_notification_id_t *first_id, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (!first_id) return GASPI_ERR_NULLPTR;
    if (notification_begin >= std::max(job.config.notification_num, 1u)) return GASPI_ERR_INV_NOTIF_ID;
    if (num > job.config.notification_num - notification_begin) return GASPI_ERR_INV_NUM;
    const int first = static_cast<int>(notification_begin);
    const Range range{first, first + static_cast<int>(num), job.watch.count()};
    // Others may make segments while this one waits.
    const std::shared_ptr<LocalMemory> own = job.parts.keep(segment_id_local);
    if (!own) return GASPI_ERR_INV_SEG;
    if (num == 0) return GASPI_SUCCESS;
    return until(job, kWaitsome, timeout_ms, [&] { return look_for(job, *own, range, first_id); });
  });
}

gaspi_return_t pgaspi_notify_reset(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_id,
                                   gaspi_notification_t *old_notification_val) {
  return enter([&](Job &job) {
    if (notification_id >= job.config.notification_num) return GASPI_ERR_INV_NOTIF_ID;
    return job.parts.with_own(segment_id_local, [&](const LocalMemory &own) {
      const gaspi_notification_t old = own.words().notifications.take(static_cast<int>(notification_id));
      if (old_notification_val) *old_notification_val = old;
      return GASPI_SUCCESS;
    });
  });
}

// NOLINTEND(readability-function-size)
HLC_WEAK_ALIAS(write);
HLC_WEAK_ALIAS(read);
HLC_WEAK_ALIAS(write_notify);
HLC_WEAK_ALIAS(read_notify);
HLC_WEAK_ALIAS(notify);
HLC_WEAK_ALIAS(notify_waitsome);
HLC_WEAK_ALIAS(notify_reset);

}  // extern "C"
