// Collective steps with a time limit. All ranks make a plan together. If one dies, never enters the call or has no memory, all must get an
// error, not hang. So each rank does alone what may fail, then all agree on the result. Between two agreements bytes only move between
// buffers that exist. Every wait yields and sleeps, is bounded by HALOCLINE_TIMEOUT, and looks for dead processes of the node.
//
// MPI's own blocking calls (windows, communicators, graphs) cannot be bounded. So all ranks meet twice before each of them. A rank may
// arrive so late that another has abandoned the first meeting. Then its second meeting fails, and it does not enter the blocking call
// alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>

#include "base/leaked_on_failure.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/communicator/wait_until.hpp"

namespace halocline::core {

/// What MPI reads and writes during one step, allocated before it. If the step fails, it is unknown when MPI stops accessing it.
struct Job : LeakedOnFailure {
  std::vector<MPI_Request> requests;
};

/// The cause of an error of MPI: HLC_ERR_PEER_DIED if a process of this node has ended, else `status` with its message.
Status name_failure(Communicator &communicator, Status status);

/// The wait in a collective step.
class BoundedWait {
 public:
  explicit BoundedWait(Communicator &communicator, std::int64_t grace_ns = 0)
      : communicator_(communicator), wait_(communicator, WakeUp::by_polling), grace_ns_(grace_ns) {}
  /// As wait_until. The context is lost once a rank is known to have died or the time limit has passed.
  template <class Look>
  Status until(Look look);
  /// As the function above; the context is lost.
  Status name_failure(Status status) { return communicator_.lose(halocline::core::name_failure(communicator_, status)); }

 private:
  Status find_failure();
  Status look_for_dead();
  Status give_up(Status failure);
  Status look_for_late();

  Communicator &communicator_;
  Wait wait_;
  std::int64_t grace_ns_, begun_ns_ = 0, dead_since_ns_ = 0;
  int lost_ = -1;  // a rank of another node that is no longer reached
};

template <class Look>
Status BoundedWait::until(Look look) {
  Status found = Status::again;
  const Status ended = wait_until(wait_, [&] { return found = look(); }, [this] { return find_failure(); });
  return found == Status::again ? give_up(ended) : ended;
}

/// Waits until all `count` requests are complete. After HLC_ERR_PEER_DIED, HLC_ERR_TIMEOUT or HLC_ERR_MPI they may still be pending.
Status await(Communicator &communicator, int count, MPI_Request *requests, std::int64_t grace_ns = 0);

/// As above for the requests of a job, which is leaked if that fails.
template <class AnyJob>
Status await(Communicator &communicator, std::unique_ptr<AnyJob> &job) {
  const Status status = await(communicator, static_cast<int>(job->requests.size()), job->requests.data());
  if (failed(status)) leak(std::move(job));
  return status;
}

/// Reduces up to AgreementBuffer::kNumbers numbers over all ranks, in place. Collective over comm. Allocates nothing.
Status reduce(Communicator &communicator, MPI_Comm comm, MPI_Op operation, std::int64_t *numbers, int count, std::int64_t grace_ns = 0);

/// The plan's name as given by a rank that has no part in the plan and cannot name it. It matches every plan of the same call.
inline constexpr const char *kAnyPlan = "(any plan)";

/// The first meeting of a collective call. All ranks report their call (CallState) and, in `plan`, the name and fields of the plan that it
/// makes. If they differ, all get HLC_ERR_MISMATCH, and the message names two ranks with their calls. Nothing has been done then, and the
/// context stays usable. Else as agree. A rank in hlc_refuse matches every call; a rank that fails need not name the plan. Allocates
/// nothing.
Status meet(Communicator &communicator, Status mine, const std::string &plan = {});

/// The first meeting of a call that releases something: as meet, and finds the largest of all ranks' numbers. Its time limit is 1.5 times
/// HALOCLINE_TIMEOUT: a rank that arrives late may itself have waited for another.
Status meet_to_release(Communicator &communicator, int mine, int *largest);

/// All ranks return the status and the message of the lowest rank that failed, or ok. Collective over comm. Allocates nothing.
Status agree(Communicator &communicator, MPI_Comm comm, Status mine);

/// The status of two steps of a rank. Others take part in the later one, so it is done even if the earlier one has failed. The message is that of
/// the last that failed. Allocates nothing.
inline Status last_failure(Status earlier, Status later) { return failed(later) ? later : earlier; }

/// Runs the part that a rank does alone; a failed allocation becomes a status.
template <class Part>
Status alone(const Topology &topology, Part part) {
  try {
    return part();
  } catch (const std::bad_alloc &) {
    return fail(Status::memory, "rank %d is out of memory for the tables of a plan", topology.rank());
  }
}

/// Runs the part that a rank does alone; then all agree on the result. Collective over comm.
template <class Part>
Status prepare(Communicator &communicator, MPI_Comm comm, Part part) {
  return agree(communicator, comm, alone(communicator, part));
}

/// The last meeting of a call that releases something: finds the largest of all ranks' numbers. Collective over comm. It waits until twice
/// HALOCLINE_TIMEOUT after the call began: a rank that abandons the call must not leave the others alone. If a rank of another node
/// is no longer reached, it waits at most HALOCLINE_TIMEOUT.
Status agree_on_largest(Communicator &communicator, MPI_Comm comm, int mine, int *largest);

}  // namespace halocline::core
