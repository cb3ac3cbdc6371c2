// Opening and closing a job, and what it does in waits.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/common/face_job.hpp"

#include "base/mpi_end.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/request_engine.hpp"

namespace halocline::core {

Status FaceJob::open() {
  HLC_TRY(context.open(ranks_, Status::ok));
  const Call in_call(context, calls_.beginning);
  watch.open();
  return open_face();
}

Status FaceJob::open_network() {
  if (context.nodes() == 1) return Status::ok;
  HLC_TRY(context.network().open());
  return context.network().requests()->open();
}

/// Once what was sent has arrived.
Status FaceJob::begin_meeting() {
  RequestEngine *requests = context.network().requests();
  if (ending_ == Ending::not_begun && requests) sent_.add(requests->begin_flushes(true));
  ending_ = Ending::flushes;
  if (const Status arrived = sent_.look(requests, calls_.end); arrived != Status::ok) return arrived;
  HLC_TRY(check_mpi(MPI_Ibarrier(context.comm(), &meeting_), "MPI_Ibarrier"));
  ending_ = Ending::meets;
  return Status::ok;
}

Status FaceJob::meet_to_end() {
  // A lost rank does not take part in the meeting.
  if (watch.knows_any()) return fail(Status::peer_died, "%s on rank %d: some ranks cannot be reached", calls_.end, rank());
  if (ending_ < Ending::meets)
    if (const Status begun = begin_meeting(); begun != Status::ok) return begun;
  int met = ending_ == Ending::met ? 1 : 0;
  if (!met) HLC_TRY(check_mpi(MPI_Test(&meeting_, &met, MPI_STATUS_IGNORE), "MPI_Test"));
  if (met) ending_ = Ending::met;
  return met ? Status::ok : Status::again;
}

Status FaceJob::close() {
  const Call in_call(context, calls_.ending);
  int largest = 0;
  HLC_TRY(meet_to_release(context, 0, &largest));
  return agree_on_largest(context, context.comm(), context.lost() ? 1 : 0, &largest);
}

void FaceJob::abandon() {
  abandon_face();
  context.give_up();
}

Status FaceJob::attend(const char *call) {
  if (is_ending) return fail(Status::state, "%s on rank %d: %s has been called", call, rank(), calls_.end);
  if (mpi_has_ended()) return fail(Status::state, "%s on rank %d: MPI has been finalised", call, rank());
  return watch.look(call);
}

bool FaceJob::has_lost_ranks() { return !mpi_has_ended() && !failed(watch.look(calls_.end)) && watch.knows_any(); }

}  // namespace halocline::core
