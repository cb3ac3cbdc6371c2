// MPI's one-sided calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

using namespace advise;

namespace {

void record_access(const Call &call, Kind kind, MPI_Win window, int target, std::int64_t bytes) {
  if (target == MPI_PROC_NULL) return;
  Event *const event = call.record(kind);
  if (!event) return;
  const Members &members = members_of_window(window);
  event->peer = world_rank(members, target);
  event->comm = members.id;
  event->bytes = static_cast<std::uint64_t>(bytes);
  event->request = number(window);
}

void record_sync(const Call &call, MPI_Win window) {
  if (Event *const event = call.record(Kind::window_sync)) event->request = number(window);
}

}  // namespace

#define HLC_ADVISE_TARGET int target, MPI_Aint at, int their_count, MPI_Datatype their_type
#define HLC_ADVISE_THERE target, at, their_count, their_type
#define HLC_ADVISE_ACCESS(name, kind, given, passed, bytes) \
  HLC_ADVISE_CALL(name, given, passed, record_access(call, Kind::kind, window, target, bytes);)
#define HLC_ADVISE_SYNC(name, given, passed) HLC_ADVISE_CALL(name, given, passed, record_sync(call, window);)

HLC_ADVISE_ACCESS(Put, put, (const void *data, int count, MPI_Datatype type, HLC_ADVISE_TARGET, MPI_Win window),
                  (data, count, type, HLC_ADVISE_THERE, window), bytes_of(count, type))
HLC_ADVISE_ACCESS(Get, get, (void *data, int count, MPI_Datatype type, HLC_ADVISE_TARGET, MPI_Win window),
                  (data, count, type, HLC_ADVISE_THERE, window), bytes_of(count, type))
HLC_ADVISE_ACCESS(Rput, put, (const void *data, int count, MPI_Datatype type, HLC_ADVISE_TARGET, MPI_Win window, MPI_Request *request),
                  (data, count, type, HLC_ADVISE_THERE, window, request), bytes_of(count, type))
HLC_ADVISE_ACCESS(Rget, get, (void *data, int count, MPI_Datatype type, HLC_ADVISE_TARGET, MPI_Win window, MPI_Request *request),
                  (data, count, type, HLC_ADVISE_THERE, window, request), bytes_of(count, type))
HLC_ADVISE_ACCESS(Accumulate, accumulate, (const void *data, int count, MPI_Datatype type, HLC_ADVISE_TARGET, MPI_Op op, MPI_Win window),
                  (data, count, type, HLC_ADVISE_THERE, op, window), bytes_of(count, type))
HLC_ADVISE_ACCESS(Raccumulate, accumulate,
                  (const void *data, int count, MPI_Datatype type, HLC_ADVISE_TARGET, MPI_Op op, MPI_Win window, MPI_Request *request),
                  (data, count, type, HLC_ADVISE_THERE, op, window, request), bytes_of(count, type))
HLC_ADVISE_ACCESS(Get_accumulate, accumulate,
                  (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, HLC_ADVISE_TARGET, MPI_Op op,
                   MPI_Win window),
                  (data, count, type, place, room, kind, HLC_ADVISE_THERE, op, window), bytes_of(their_count, their_type))
HLC_ADVISE_ACCESS(Fetch_and_op, accumulate,
                  (const void *data, void *place, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win window),
                  (data, place, type, target, at, op, window), bytes_of(1, type))
HLC_ADVISE_ACCESS(Compare_and_swap, accumulate,
                  (const void *data, const void *expected, void *place, MPI_Datatype type, int target, MPI_Aint at, MPI_Win window),
                  (data, expected, place, type, target, at, window), bytes_of(1, type))

HLC_ADVISE_SYNC(Win_fence, (int assertion, MPI_Win window), (assertion, window))
HLC_ADVISE_SYNC(Win_lock, (int kind, int target, int assertion, MPI_Win window), (kind, target, assertion, window))
HLC_ADVISE_SYNC(Win_unlock, (int target, MPI_Win window), (target, window))
HLC_ADVISE_SYNC(Win_lock_all, (int assertion, MPI_Win window), (assertion, window))
HLC_ADVISE_SYNC(Win_unlock_all, (MPI_Win window), (window))
HLC_ADVISE_SYNC(Win_flush, (int target, MPI_Win window), (target, window))
HLC_ADVISE_SYNC(Win_flush_all, (MPI_Win window), (window))
HLC_ADVISE_SYNC(Win_flush_local, (int target, MPI_Win window), (target, window))
HLC_ADVISE_SYNC(Win_flush_local_all, (MPI_Win window), (window))
HLC_ADVISE_SYNC(Win_sync, (MPI_Win window), (window))
HLC_ADVISE_SYNC(Win_post, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
HLC_ADVISE_SYNC(Win_start, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
HLC_ADVISE_SYNC(Win_complete, (MPI_Win window), (window))
HLC_ADVISE_SYNC(Win_wait, (MPI_Win window), (window))
