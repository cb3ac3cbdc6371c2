// Collective steps that end. Plans are made by all ranks together; a rank that dies, never comes or has no memory must be an error on all
// of them and not a hang. So everything that may fail on one rank is done alone, then all agree; what is done between two agreements only
// moves bytes between buffers that exist. Every wait is polite, bounded by HALOCLINE_TIMEOUT, and looks for dead processes of the node.
//
// MPI's own blocking calls (windows, communicators, graphs) cannot be bounded. Before each all ranks have met twice: should one have come
// so late that another gave up the first meeting, it finds nobody at the second, and does not walk into the call alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>

#include "base/leaked_on_failure.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/communicator/wait.hpp"

namespace halocline {

/// What MPI reads and writes during one step, allocated before it. If the step fails, nobody knows when MPI is done with it.
struct Job : LeakedOnFailure {
  std::vector<MPI_Request> requests;
};

/// Why MPI answers with an error: HLC_ERR_PEER_DIED if a process of this node has ended, else the status with its message.
Status name_failure(Communicator &communicator, Status status);

/// Waits in a collective step. pause() fails, and the context is lost, once a rank is known to have died or the time is over.
class BoundedWait {
 public:
  explicit BoundedWait(Communicator &communicator, std::int64_t grace_ns = 0)
      : communicator_(communicator), wait_(communicator, WakeUp::by_polling), grace_ns_(grace_ns) {}
  Status pause();
  /// The same, and the context is lost.
  Status name_failure(Status status) { return communicator_.lose(halocline::name_failure(communicator_, status)); }

 private:
  Status find_dead();
  Status look_for_late();

  Communicator &communicator_;
  Wait wait_;
  std::int64_t grace_ns_, begun_ns_ = 0, dead_since_ns_ = 0;
  int lost_ = -1;  // a rank of another node that is not reached any more
};

/// Waits until all of count requests are complete. HLC_ERR_PEER_DIED, HLC_ERR_TIMEOUT or HLC_ERR_MPI: then they are left as they are.
Status await(Communicator &communicator, int count, MPI_Request *requests, std::int64_t grace_ns = 0);

/// As above for the requests of a job, which is kept for ever if that fails.
template <class AnyJob>
Status await(Communicator &communicator, std::unique_ptr<AnyJob> &job) {
  const Status status = await(communicator, static_cast<int>(job->requests.size()), job->requests.data());
  if (failed(status)) leak(std::move(job));
  return status;
}

/// Reduces up to AgreementBuffer::kNumbers numbers over all ranks, in place. Collective over comm. Allocates nothing.
Status reduce(Communicator &communicator, MPI_Comm comm, MPI_Op operation, std::int64_t *numbers, int count, std::int64_t grace_ns = 0);

/// What a rank says of a plan in which it has no part, so that it cannot name it: it fits every plan that the same call makes.
inline constexpr const char *kAnyPlan = "(any plan)";

/// The first meeting of a collective call: all ranks say in which call they are (CallState) and, in `plan`, which plan it makes: its name
/// and its fields. HLC_ERR_MISMATCH on all ranks, with two ranks and what they say, if they differ; nothing has been done then, and the
/// context goes on. Else as agree. A rank in hlc_refuse fits every call; one that fails need not say which plan. Allocates nothing.
Status meet(Communicator &communicator, Status mine, const std::string &plan = {});

/// The first meeting of a call that releases something: as meet, and finds the largest of all ranks' numbers. It waits for half as long again
/// as HALOCLINE_TIMEOUT: a rank that comes late may have waited for another itself.
Status meet_to_release(Communicator &communicator, int mine, int *largest);

/// All ranks leave with the status and the message of the lowest rank that failed, or with ok. Collective over comm. Allocates nothing.
Status agree(Communicator &communicator, MPI_Comm comm, Status mine);

/// Does what a rank does alone; memory that cannot be had becomes a status.
template <class Part>
Status alone(const Communicator &communicator, Part part) {
  try {
    return part();
  } catch (const std::bad_alloc &) {
    return fail(Status::memory, "rank %d has no memory left for the tables of a plan", communicator.rank());
  }
}

/// Does what a rank does alone; then all agree on how it went. Collective over comm.
template <class Part>
Status prepare(Communicator &communicator, MPI_Comm comm, Part part) {
  return agree(communicator, comm, alone(communicator, part));
}

/// The last meeting of a call that releases something: finds the largest of all ranks' numbers. Collective over comm. It waits until twice
/// HALOCLINE_TIMEOUT after the call began: a rank that gives up must not leave the others alone. A rank of another node that is not reached
/// any more is waited for no longer than HALOCLINE_TIMEOUT.
Status agree_on_largest(Communicator &communicator, MPI_Comm comm, int mine, int *largest);

}  // namespace halocline
