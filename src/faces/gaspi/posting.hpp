// What posting a request has in common: checks in the order of the arguments, room in the queue, both ends of a transfer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/gaspi/job.hpp"

namespace halocline::gaspi {

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
  return queue < kMostQueues && job.queues[queue].exists ? GASPI_SUCCESS : GASPI_ERR_INV_QUEUE;
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

inline gaspi_return_t check_ends(const Move &move, const OwnPart *own, const PeerPart &part) {
  if (!own) return GASPI_ERR_INV_SEG;
  if (!lies_within(move.local_offset, move.size, own->bytes())) return GASPI_ERR_INV_LOC_OFF;
  return lies_within(move.remote_offset, move.size, part.bytes()) ? GASPI_SUCCESS : GASPI_ERR_INV_REM_OFF;
}

inline gaspi_return_t check_notification(const Job &job, gaspi_notification_id_t id, gaspi_notification_t value) {
  if (id >= job.config.notification_num) return GASPI_ERR_INV_NOTIF_ID;
  return value != 0 ? GASPI_SUCCESS : GASPI_ERR_INV_NOTIF_VAL;
}

/// The first of some codes that is none of success.
template <class... Codes>
gaspi_return_t first_wrong(Codes... codes) {
  gaspi_return_t wrong = GASPI_SUCCESS;
  ((wrong = wrong == GASPI_SUCCESS ? codes : wrong), ...);
  return wrong;
}

/// Makes room for requests in a queue.
inline gaspi_return_t make_room(Job &job, gaspi_queue_id_t queue, gaspi_number_t requests) {
  const gaspi_return_t room = job.queues[queue].take(requests, job.config.queue_size_max);
  if (room == GASPI_QUEUE_FULL) job.statistics.count(Counter::full_queues, requests);
  return room;
}

/// Posts work(), a request to a rank.
template <class Work>
gaspi_return_t post(Job &job, gaspi_queue_id_t queue, const PeerPart &part, Work work) {
  if (const gaspi_return_t room = make_room(job, queue, 1); room != GASPI_SUCCESS) return room;
  return job.queues[queue].posted(work(), part.rank(), part.is_near());
}

/// Checks a move, and posts work(part, address of the local bytes).
template <class Work>
gaspi_return_t post_move(Job &job, const Move &move, gaspi_queue_id_t queue, Work work) {
  const gaspi_return_t wrong = first_wrong(check_queue(job, queue), check_rank(job, move.rank, move.remote), check_size(job, move.size));
  if (wrong != GASPI_SUCCESS) return wrong;
  return job.parts.with(move.rank, move.remote, [&](PeerPart &part) {
    const OwnPart *own = job.parts.own(move.local);
    if (const gaspi_return_t ends = check_ends(move, own, part); ends != GASPI_SUCCESS) return ends;
    return post(job, queue, part, [&] { return work(part, own->data() + move.local_offset); });
  });
}

/// Before something is written.
inline void note_write(Job &job, const PeerPart &part, gaspi_size_t bytes) {
  if (!part.is_near()) job.note_write(part.rank());
  job.statistics.count(Counter::writes, 1);
  job.statistics.count(Counter::bytes_written, bytes);
}
inline void note_read(Job &job, gaspi_size_t bytes) {
  job.statistics.count(Counter::reads, 1);
  job.statistics.count(Counter::bytes_read, bytes);
}

inline std::int64_t signed_of(unsigned long bytes) { return static_cast<std::int64_t>(bytes); }

}  // namespace halocline::gaspi
