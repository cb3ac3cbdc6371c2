// The common steps of posting a request: checks in the order of the arguments, room in the queue, both ends of a transfer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/gaspi/job.hpp"

namespace halocline::core::gaspi {

/// Bytes of a segment of this rank, and as many of a segment of any rank.
struct Move {
  gaspi_segment_id_t local;
  gaspi_offset_t local_offset;
  gaspi_rank_t rank;
  gaspi_segment_id_t remote;
  gaspi_offset_t remote_offset;
  gaspi_size_t size;
};

inline gaspi_return_t check_queue(const Job &job, gaspi_queue_id_t queue) {
  return queue < kMaxQueues && job.queues[queue].exists ? GASPI_SUCCESS : GASPI_ERR_INV_QUEUE;
}

inline gaspi_return_t check_rank(const Job &job, gaspi_rank_t rank, gaspi_segment_id_t segment) {
  if (rank >= job.size()) return GASPI_ERR_INV_RANK;
  return segment < job.config.segment_max ? GASPI_SUCCESS : GASPI_ERR_INV_SEG;
}

inline gaspi_return_t check_size(const Job &job, gaspi_size_t size) {
  return size <= job.config.transfer_size_max ? GASPI_SUCCESS : GASPI_ERR_INV_COMMSIZE;
}

inline bool lies_within(gaspi_offset_t offset, gaspi_size_t size, std::int64_t bytes) {
  const auto end = static_cast<gaspi_size_t>(bytes);
  return offset <= end && size <= end - offset;
}

inline gaspi_return_t check_ends(const Move &move, const LocalMemory *own, const RemoteMemory &part) {
  if (!own) return GASPI_ERR_INV_SEG;
  if (!lies_within(move.local_offset, move.size, own->bytes())) return GASPI_ERR_INV_LOC_OFF;
  return lies_within(move.remote_offset, move.size, part.bytes()) ? GASPI_SUCCESS : GASPI_ERR_INV_REM_OFF;
}

inline gaspi_return_t check_notification(const Job &job, gaspi_notification_id_t id, gaspi_notification_t value) {
  if (id >= job.config.notification_num) return GASPI_ERR_INV_NOTIF_ID;
  return value != 0 ? GASPI_SUCCESS : GASPI_ERR_INV_NOTIF_VAL;
}

/// The first of some codes that is not GASPI_SUCCESS.
template <class... Codes>
gaspi_return_t first_wrong(Codes... codes) {
  gaspi_return_t wrong = GASPI_SUCCESS;
  ((wrong = wrong == GASPI_SUCCESS ? codes : wrong), ...);
  return wrong;
}

/// Makes room for requests in a queue.
inline gaspi_return_t make_room(Job &job, gaspi_queue_id_t queue, gaspi_number_t requests) {
  const gaspi_return_t room = job.queues[queue].take(requests, job.config.queue_size_max);
  if (room == GASPI_QUEUE_FULL) job.counters.count(Counter::full_queues, requests);
  return room;
}

/// How a request is posted.
struct Route {
  const char *call;
  gaspi_rank_t rank;
  gaspi_segment_id_t segment;  // of the rank
  gaspi_queue_id_t queue;
};

/// True if a rank of the node is known to have ended. Its memory could still be written then.
inline bool is_lost(Job &job, const RemoteMemory &part) { return part.is_near() && job.watch.poll_sometimes(part.member()); }

/// Begins work(), a request to a rank for which its queue has room; `again` and GASPI_TIMEOUT if it has to wait.
template <class Work>
gaspi_return_t begin(Job &job, const Route &route, RemoteMemory &part, Work work) {
  Status status = is_lost(job, part) ? job.watch.report(route.call, part.rank()) : part.find_room(route.call);
  if (status == Status::ok) status = work();
  return job.queues[route.queue].posted(status, part.rank(), part.is_near());
}

/// The part of a lost rank may not be accessible any more. Then, too, the request counts as posted, and gaspi_wait reports its failure.
inline gaspi_return_t settle(Job &job, const Route &route, gaspi_return_t code) {
  if (code != GASPI_ERROR || !job.watch.has_lost(route.rank, route.call)) return code;
  return job.queues[route.queue].posted(job.watch.report(route.call, route.rank), route.rank, true);
}

/// Posts work(part), for which a queue makes room.
template <class Work>
gaspi_return_t post(Job &job, const Route &route, gaspi_timeout_t timeout_ms, Work work) {
  if (const gaspi_return_t room = make_room(job, route.queue, 1); room != GASPI_SUCCESS) return room;
  const gaspi_return_t posted =
      settle(job, route, until(job, route.call, timeout_ms, [&] { return job.parts.with(route.rank, route.segment, work); }));
  const bool counts = posted == GASPI_SUCCESS || posted == GASPI_ERROR;
  counts ? job.queues[route.queue].fill(1) : job.queues[route.queue].release(1);
  return posted;
}

/// Checks a move, and posts work(part, address of the local bytes).
template <class Work>
gaspi_return_t post_move(Job &job, const char *call, const Move &move, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms, Work work) {
  const gaspi_return_t wrong = first_wrong(check_queue(job, queue), check_rank(job, move.rank, move.remote), check_size(job, move.size));
  if (wrong != GASPI_SUCCESS) return wrong;
  const Route route{call, move.rank, move.remote, queue};
  return post(job, route, timeout_ms, [&](RemoteMemory &part) {
    const LocalMemory *own = job.parts.own(move.local);
    if (const gaspi_return_t ends = check_ends(move, own, part); ends != GASPI_SUCCESS) return ends;
    return begin(job, route, part, [&] { return work(part, own->data() + move.local_offset); });
  });
}

/// To be called before each write.
inline void note_write(Job &job, const RemoteMemory &part) {
  if (!part.is_near()) job.group_resources.written.note(part.rank());
}

/// Counts a request if it was posted; returns the code.
inline gaspi_return_t count(Job &job, gaspi_return_t posted, Counter requests, Counter bytes, gaspi_size_t size) {
  if (posted != GASPI_SUCCESS) return posted;
  job.counters.count(requests, 1);
  job.counters.count(bytes, size);
  return posted;
}
inline gaspi_return_t count_write(Job &job, gaspi_return_t posted, gaspi_size_t size) {
  return count(job, posted, Counter::writes, Counter::bytes_written, size);
}
inline gaspi_return_t count_read(Job &job, gaspi_return_t posted, gaspi_size_t size) {
  return count(job, posted, Counter::reads, Counter::bytes_read, size);
}
inline gaspi_return_t count_notification(Job &job, gaspi_return_t posted) {
  if (posted == GASPI_SUCCESS) job.counters.count(Counter::notifications, 1);
  return posted;
}

inline std::int64_t signed_of(unsigned long bytes) { return static_cast<std::int64_t>(bytes); }

}  // namespace halocline::core::gaspi
