// The job of this process between ARMCI_Init and ARMCI_Finalize, how every function enters it, and how it waits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <armci.h>

#include <new>
#include <vector>

#include "engine/communicator/wait_until.hpp"
#include "engine/memory/node_lock.hpp"
#include "engine/sync/group.hpp"
#include "faces/armci/allocations.hpp"
#include "faces/armci/control_plan.hpp"
#include "faces/armci/failure.hpp"
#include "faces/armci/node_messages.hpp"
#include "faces/armci/own_messages.hpp"
#include "faces/armci/unordered.hpp"
#include "faces/common/long_wait.hpp"
#include "faces/common/runtime.hpp"

namespace halocline::core::armci {

class MutexSet;

/// The state of this process while the job is open.
class Job final : public FaceJob {
 public:
  /// `ranks` are the processes of the job.
  explicit Job(MPI_Comm ranks);
  ~Job() override;

  bool is_on_node(int proc) const { return near_[static_cast<std::size_t>(proc)] != kNotOnNode; }
  /// The number of a process of this node among those.
  Member member_of(int proc) const { return near_[static_cast<std::size_t>(proc)]; }
  bool has_other_nodes() const { return context.nodes() > 1; }
  /// The lock that accumulates to a process of this node take.
  const NodeLock &accumulates_of(int proc) const { return locks_[static_cast<std::size_t>(member_of(proc))]; }
  /// The node of a process, and the processes of a node in ascending order.
  int node_of(int proc) const { return nodes_[static_cast<std::size_t>(proc)]; }
  const std::vector<int> &procs_of(int node) const { return procs_[static_cast<std::size_t>(node)]; }

  /// Waits until everything that this process has written to others is there.
  void fence(const char *call);
  void fence(const char *call, int proc);
  /// A barrier of all processes.
  void barrier(const char *call);

  ControlMemory control{context.network()};
  GroupResources group_resources{{"ARMCI_Init", "ARMCI_Barrier", "ARMCI_Init"}, context.network(), control, watch};
  Allocations allocations;
  Unordered unordered{context.network()};  // after the allocations, whose memory it names
  std::unique_ptr<MutexSet> mutexes;  // of ARMCI_Create_mutexes
  std::vector<std::uint64_t> notified, seen;  // counts of armci_notify, by process: those sent, those waited for
  OwnMessages own_messages;
  NodeMessages node_messages;
  ARMCI_Group world{}, standard{};  // standard: the default group
  MPI_Comm node_comm = MPI_COMM_NULL, masters_comm = MPI_COMM_NULL;

 private:
  Status open_face() override;
  void abandon_face() override;
  Status find_nodes();
  Status open_locks();
  Status commit_everyone();
  Status make_communicators();

  ControlPlan plan_;
  Group everyone_;
  std::vector<Member> near_;  // by process; kNotOnNode on another node
  std::vector<NodeLock> locks_;  // by member
  std::vector<int> nodes_;
  std::vector<std::vector<int>> procs_;
};

/// The open job; null if there is none. It stays valid as long as the visit during which this was called.
inline Job *the_job() { return static_cast<Job *>(runtime.job()); }

/// Calls work(job) as a visit, and ends all processes if there is no job or no memory. Polls sometimes, so that calls that a program repeats
/// until something changes serve other processes, too.
template <class Work>
auto enter(const char *call, Work work) {
  const Visit visit;
  Job *job = the_job();
  if (!job || mpi_has_ended()) end_without_job(call);
  if (job->has_other_nodes()) job->context.network().poll_sometimes();
  try {
    return work(*job);
  } catch (const std::bad_alloc &) {
    end_all_with("%s on rank %d: out of memory", call, job->rank());
  }
}

/// The failure of a wait that has lasted as long as HALOCLINE_TIMEOUT says.
Status timed_out(const Job &job, const char *call);

/// Calls look() until it returns anything but `again`, which it returns. Fails if one of the processes is lost meanwhile. Messages that
/// no call waits for are kept after some looks.
template <class Look>
Status await(Job &job, const char *call, Look look, WakeUp wake_up = WakeUp::by_polling) {
  if (const Status found = look(); found != Status::again) return found;
  constexpr int kLooksAtOnce = 64;
  const auto look_and_keep = [&job, &look, looks = 0]() mutable {
    if (++looks > kLooksAtOnce) job.node_messages.make_room();
    return look();
  };
  Wait wait(job.context, wake_up);
  const LongWait long_wait;
  return pause_until(wait, look_and_keep, [&] {
    long_wait.report(call, "rank", job.rank(), "another rank");
    HLC_TRY(job.attend(call));
    HLC_TRY(job.watch.send_notice(call, 0));
    return long_wait.has_timed_out() ? timed_out(job, call) : Status::ok;
  });
}

/// Waits for a request of MPI.
void await_mpi(Job &job, const char *call, MPI_Request request, MPI_Status *status = MPI_STATUS_IGNORE);

/// Fails where MPI does.
inline void settle_mpi(int code, const char *call) { settle(check_mpi(code, call)); }

}  // namespace halocline::core::armci
