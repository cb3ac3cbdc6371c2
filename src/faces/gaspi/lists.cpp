// GASPI 17.1, sections 8.4.2, 8.4.3 and 8.4.5: lists of writes and of reads to one rank. All of a list is checked before any of it is
// posted.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;
using halocline::core::Deadline;
using halocline::core::LocalMemory;
using halocline::core::RemoteMemory;
using halocline::core::Status;
using halocline::core::Target;

namespace {

struct List {
  gaspi_number_t num;
  const gaspi_segment_id_t *local;
  const gaspi_offset_t *local_offset;
  gaspi_rank_t rank;
  const gaspi_segment_id_t *remote;
  const gaspi_offset_t *remote_offset;
  const gaspi_size_t *size;
  gaspi_queue_id_t queue;

  Move at(gaspi_number_t i) const { return {local[i], local_offset[i], rank, remote[i], remote_offset[i], size[i]}; }
};

gaspi_return_t check(Job &job, const List &list) {
  if (!list.local || !list.local_offset || !list.remote || !list.remote_offset || !list.size) return GASPI_ERR_NULLPTR;
  if (list.num == 0 || list.num > job.config.rw_list_elem_max) return GASPI_ERR_INV_NUM;
  gaspi_return_t wrong = check_queue(job, list.queue);
  for (gaspi_number_t i = 0; i < list.num && wrong == GASPI_SUCCESS; ++i) {
    const Move move = list.at(i);
    wrong = first_wrong(check_rank(job, move.rank, move.remote), check_size(job, move.size));
    if (wrong == GASPI_SUCCESS)
      wrong = job.parts.with(move.rank, move.remote,
                             [&](const RemoteMemory &part) { return check_ends(move, job.parts.own(move.local), part); });
  }
  return wrong;
}

/// How much of a list has been posted.
struct Posting {
  const char *call;
  Deadline deadline;
  gaspi_number_t posted = 0;  // elements
  std::int64_t done = 0;  // bytes of the next one
};

/// Checks a list, and makes room for it and `more` requests.
gaspi_return_t prepare(Job &job, const List &list, Posting &posting, gaspi_number_t more) {
  const gaspi_return_t wrong = until(job, posting.call, posting.deadline, [&] { return check(job, list); });
  const bool lost = wrong == GASPI_ERROR && job.watch.has_lost(list.rank, posting.call);
  return wrong == GASPI_SUCCESS || lost ? make_room(job, list.queue, list.num + more) : wrong;
}

/// Posts work(part, address of the local bytes, move) for each element that has not been posted, and counts it.
template <class Count, class Work>
gaspi_return_t post_some(Job &job, const List &list, Posting &posting, Count count, Work work) {
  while (posting.posted < list.num) {
    const Move move = list.at(posting.posted);
    const Route route{posting.call, move.rank, move.remote, list.queue};
    const gaspi_return_t code = settle(job, route, job.parts.with(move.rank, move.remote, [&](RemoteMemory &part) {
      const LocalMemory *own = job.parts.own(move.local);
      if (!own) return GASPI_ERR_INV_SEG;
      return begin(job, route, part, [&] { return work(part, own->data() + move.local_offset, move); });
    }));
    if (count(job, code, move.size) != GASPI_SUCCESS) return code;
    job.queues[list.queue].fill(1);
    posting.posted += 1;
    posting.done = 0;
  }
  return GASPI_SUCCESS;
}

/// The same until the deadline. Unless all is posted, it releases the room of the rest, and of `more` requests.
template <class Count, class Work>
gaspi_return_t post_each(Job &job, const List &list, Posting &posting, gaspi_number_t more, Count count, Work work) {
  const gaspi_return_t code = until(job, posting.call, posting.deadline, [&] { return post_some(job, list, posting, count, work); });
  if (code != GASPI_SUCCESS) job.queues[list.queue].release(list.num - posting.posted + more);
  return code;
}

gaspi_return_t write_each(Job &job, const List &list, Posting &posting, gaspi_number_t more) {
  return post_each(job, list, posting, more, count_write, [&](RemoteMemory &part, const char *data, const Move &move) {
    note_write(job, part);
    return put(posting.call, Target{part, signed_of(move.remote_offset)}, {data, signed_of(move.size)}, posting.done);
  });
}

gaspi_return_t read_each(Job &job, const List &list, Posting &posting) {
  return post_each(job, list, posting, 0, count_read, [&](RemoteMemory &part, char *data, const Move &move) {
    return get(posting.call, Target{part, signed_of(move.remote_offset)}, {data, signed_of(move.size)}, posting.done);
  });
}

/// Posts the notification that follows a list; the queue has room for it.
gaspi_return_t notify_behind(Job &job, const Route &route, Posting &posting, hlc_notification notification) {
  halocline::core::PendingNotify pending;
  const gaspi_return_t waited = until(job, posting.call, posting.deadline, [&] {
    return job.parts.with(route.rank, route.segment, [&](RemoteMemory &part) {
      return begin(job, route, part, [&] { return notify_in_order(posting.call, part, notification, pending); });
    });
  });
  const gaspi_return_t code = count_notification(job, settle(job, route, waited));
  code == GASPI_SUCCESS ? job.queues[route.queue].fill(1) : job.queues[route.queue].release(1);
  return code;
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are the specification's

gaspi_return_t pgaspi_write_list(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                 gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                 const gaspi_size_t *size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    Posting posting{"gaspi_write_list", timeout_ms};
    const gaspi_return_t ready = prepare(job, list, posting, 0);
    return ready == GASPI_SUCCESS ? write_each(job, list, posting, 0) : ready;
  });
}

gaspi_return_t pgaspi_write_list_notify(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                        gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                        const gaspi_size_t *size, gaspi_segment_id_t segment_id_notification,
                                        gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                        gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    const gaspi_return_t wrong =
        first_wrong(check_rank(job, rank, segment_id_notification), check_notification(job, notification_id, notification_value));
    if (wrong != GASPI_SUCCESS) return wrong;
    Posting posting{"gaspi_write_list_notify", timeout_ms};
    const Route route{posting.call, rank, segment_id_notification, queue};
    // The notification's segment is found before anything is posted.
    const auto find = [&] { return job.parts.with(rank, segment_id_notification, [](const RemoteMemory &) { return GASPI_SUCCESS; }); };
    const gaspi_return_t found = until(job, posting.call, posting.deadline, find);
    if (found != GASPI_SUCCESS && found != GASPI_ERROR) return found;
    if (const gaspi_return_t ready = prepare(job, list, posting, 1); ready != GASPI_SUCCESS) return ready;
    if (const gaspi_return_t written = write_each(job, list, posting, 1); written != GASPI_SUCCESS) return written;
    return notify_behind(job, route, posting, {static_cast<int>(notification_id), notification_value});
  });
}

gaspi_return_t pgaspi_read_list(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                const gaspi_size_t *size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    Posting posting{"gaspi_read_list", timeout_ms};
    const gaspi_return_t ready = prepare(job, list, posting, 0);
    return ready == GASPI_SUCCESS ? read_each(job, list, posting) : ready;
  });
}

gaspi_return_t pgaspi_read_list_notify(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                       gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                       const gaspi_size_t *size, gaspi_segment_id_t segment_id_notification,
                                       gaspi_notification_id_t notification_id, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    if (notification_id >= job.config.notification_num) return GASPI_ERR_INV_NOTIF_ID;
    const std::shared_ptr<LocalMemory> own = job.parts.keep(segment_id_notification);
    if (!own) return GASPI_ERR_INV_SEG;
    Posting posting{"gaspi_read_list_notify", timeout_ms};
    const gaspi_return_t ready = prepare(job, list, posting, 0);
    if (ready != GASPI_SUCCESS) return ready;
    if (const gaspi_return_t posted = read_each(job, list, posting); posted != GASPI_SUCCESS) return posted;
    if (job.watch.is_lost(rank)) return GASPI_SUCCESS;
    const auto announce = [&](const RemoteMemory &part) {
      job.reads.notify_after(part, own, static_cast<int>(notification_id));
      return GASPI_SUCCESS;
    };
    return until(job, posting.call, posting.deadline, [&] { return job.parts.with(rank, segment_id_remote[0], announce); });
  });
}

// NOLINTEND(readability-function-size)

gaspi_return_t pgaspi_rw_list_elem_max(gaspi_number_t *elem_max) {
  return get(elem_max, [](const Job &job) { return job.config.rw_list_elem_max; });
}

HLC_WEAK_ALIAS(write_list);
HLC_WEAK_ALIAS(write_list_notify);
HLC_WEAK_ALIAS(read_list);
HLC_WEAK_ALIAS(read_list_notify);
HLC_WEAK_ALIAS(rw_list_elem_max);

}  // extern "C"
