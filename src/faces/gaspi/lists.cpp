// GASPI 17.1, sections 8.4.2, 8.4.3 and 8.4.5: lists of writes and of reads to one rank. All of a list is checked before any of it is posted.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::gaspi;
using halocline::OwnPart;
using halocline::PeerPart;
using halocline::Status;

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
      wrong =
          job.parts.with(move.rank, move.remote, [&](const PeerPart &part) { return check_ends(move, job.parts.own(move.local), part); });
  }
  return wrong;
}

/// Posts work(part, address of the local bytes, move) for each element.
template <class Work>
gaspi_return_t post_each(Job &job, const List &list, Work work) {
  gaspi_return_t code = GASPI_SUCCESS;
  for (gaspi_number_t i = 0; i < list.num && code == GASPI_SUCCESS; ++i) {
    const Move move = list.at(i);
    code = job.parts.with(move.rank, move.remote, [&](PeerPart &part) {
      const OwnPart *own = job.parts.own(move.local);
      if (!own) return GASPI_ERR_INV_SEG;
      return job.queues[list.queue].posted(work(part, own->data() + move.local_offset, move), part.rank(), part.is_near());
    });
  }
  return code;
}

/// Checks a list, and makes room for it.
gaspi_return_t prepare(Job &job, const List &list) {
  const gaspi_return_t wrong = check(job, list);
  return wrong == GASPI_SUCCESS ? make_room(job, list.queue, list.num) : wrong;
}

gaspi_return_t write_each(Job &job, const List &list) {
  return post_each(job, list, [&](PeerPart &part, const char *data, const Move &move) {
    note_write(job, part, move.size);
    return part.put("gaspi_write_list", signed_of(move.remote_offset), data, signed_of(move.size));
  });
}

gaspi_return_t read_each(Job &job, const List &list) {
  return post_each(job, list, [&](PeerPart &part, char *data, const Move &move) {
    note_read(job, move.size);
    return part.get("gaspi_read_list", signed_of(move.remote_offset), data, signed_of(move.size));
  });
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are the specification's

gaspi_return_t pgaspi_write_list(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                 gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                 const gaspi_size_t *size, gaspi_queue_id_t queue, gaspi_timeout_t) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    const gaspi_return_t ready = prepare(job, list);
    return ready == GASPI_SUCCESS ? write_each(job, list) : ready;
  });
}

gaspi_return_t pgaspi_write_list_notify(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                        gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                        const gaspi_size_t *size, gaspi_segment_id_t segment_id_notification,
                                        gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                        gaspi_queue_id_t queue, gaspi_timeout_t) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    const gaspi_return_t wrong = first_wrong(check_rank(job, rank, segment_id_notification),
                                             check_notification(job, notification_id, notification_value), check(job, list));
    if (wrong != GASPI_SUCCESS) return wrong;
    // The notification's segment is found before anything is posted.
    const gaspi_return_t found = job.parts.with(rank, segment_id_notification, [](const PeerPart &) { return GASPI_SUCCESS; });
    if (found != GASPI_SUCCESS) return found;
    if (const gaspi_return_t room = make_room(job, queue, num + 1); room != GASPI_SUCCESS) return room;
    if (const gaspi_return_t written = write_each(job, list); written != GASPI_SUCCESS) return written;
    job.statistics.count(Counter::notifications, 1);
    return job.parts.with(rank, segment_id_notification, [&](PeerPart &part) {
      const Status told = part.notify_in_order("gaspi_write_list_notify", {static_cast<int>(notification_id), notification_value});
      return job.queues[queue].posted(told, rank, part.is_near());
    });
  });
}

gaspi_return_t pgaspi_read_list(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                const gaspi_size_t *size, gaspi_queue_id_t queue, gaspi_timeout_t) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    const gaspi_return_t ready = prepare(job, list);
    return ready == GASPI_SUCCESS ? read_each(job, list) : ready;
  });
}

gaspi_return_t pgaspi_read_list_notify(gaspi_number_t num, const gaspi_segment_id_t *segment_id_local, const gaspi_offset_t *offset_local,
                                       gaspi_rank_t rank, const gaspi_segment_id_t *segment_id_remote, const gaspi_offset_t *offset_remote,
                                       const gaspi_size_t *size, gaspi_segment_id_t segment_id_notification,
                                       gaspi_notification_id_t notification_id, gaspi_queue_id_t queue, gaspi_timeout_t) {
  const List list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue};
  return enter([&](Job &job) {
    if (notification_id >= job.config.notification_num) return GASPI_ERR_INV_NOTIF_ID;
    const std::shared_ptr<OwnPart> own = job.parts.keep(segment_id_notification);
    if (!own) return GASPI_ERR_INV_SEG;
    const gaspi_return_t ready = prepare(job, list);
    if (ready != GASPI_SUCCESS) return ready;
    if (const gaspi_return_t posted = read_each(job, list); posted != GASPI_SUCCESS) return posted;
    return job.parts.with(rank, segment_id_remote[0], [&](const PeerPart &part) {
      job.reads.notify_after(part, own, static_cast<int>(notification_id));
      return GASPI_SUCCESS;
    });
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
