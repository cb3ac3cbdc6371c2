// Opening the job: its nodes, locks, group and communicators. Fences, the barrier and waits for MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/job.hpp"

#include <atomic>

#include "engine/communicator/collective.hpp"
#include "faces/armci/blocked_call.hpp"
#include "faces/armci/groups.hpp"
#include "faces/armci/mutex_set.hpp"

namespace halocline::core::armci {

Job::Job(MPI_Comm ranks) : FaceJob({"ARMCI_Init", "ARMCI_Finalize", CallName::armci_init, CallName::armci_finalize}, ranks) {}

Job::~Job() {
  release_group(world);
  for (MPI_Comm *comm : {&node_comm, &masters_comm})
    if (*comm != MPI_COMM_NULL && !mpi_has_ended()) MPI_Comm_free(comm);
}

Status Job::open_face() {
  plan_ = ControlPlan(size());
  group_resources.layout = plan_.group();
  HLC_TRY(open_network());
  HLC_TRY(control.open(plan_.spec()));
  HLC_TRY(agree(context, context.comm(), alone(context, [&] { return open_locks(); })));
  HLC_TRY(agree(context, context.comm(), node_messages.open(context)));
  allocations.open(size());
  notified.resize(static_cast<std::size_t>(size()));
  seen.resize(static_cast<std::size_t>(size()));
  {
    const BlockedCall blocked(*this, "ARMCI_Init");
    HLC_TRY(find_nodes());
    HLC_TRY(make_communicators());
  }
  return commit_everyone();
}

Status Job::open_locks() {
  near_.resize(static_cast<std::size_t>(size()), kNotOnNode);
  locks_.resize(static_cast<std::size_t>(context.members()));
  for (Member member = 0; member < context.members(); ++member) {
    const int proc = context.rank_of(member);
    RemoteMemory *part = nullptr;
    HLC_TRY(control.find(proc, &part));
    near_[static_cast<std::size_t>(proc)] = member;
    locks_[static_cast<std::size_t>(member)] = NodeLock(part->data() + ControlPlan::accumulates(), context.doorbell(), context.member());
  }
  return Status::ok;
}

Status Job::find_nodes() {
  nodes_.resize(static_cast<std::size_t>(size()));
  const int mine = context.node();
  HLC_TRY(check_mpi(MPI_Allgather(&mine, 1, MPI_INT, nodes_.data(), 1, MPI_INT, context.comm()), "MPI_Allgather"));
  procs_.resize(static_cast<std::size_t>(context.nodes()));
  for (int proc = 0; proc < size(); ++proc) procs_[static_cast<std::size_t>(node_of(proc))].push_back(proc);
  return Status::ok;
}

Status Job::make_communicators() {
  MPI_Comm comm = MPI_COMM_NULL;
  HLC_TRY(check_mpi(MPI_Comm_dup(context.comm(), &comm), "MPI_Comm_dup"));
  fill_group(*this, comm, world);
  standard = world;
  const int is_master = procs_of(context.node()).front() == rank() ? 1 : 0;
  HLC_TRY(check_mpi(MPI_Comm_split(comm, context.node(), rank(), &node_comm), "MPI_Comm_split"));
  return check_mpi(MPI_Comm_split(comm, is_master ? 0 : MPI_UNDEFINED, rank(), &masters_comm), "MPI_Comm_split");
}

Status Job::commit_everyone() {
  everyone_.define(GroupMembers(size()));
  return await(*this, "ARMCI_Init", [&] { return everyone_.commit(group_resources, 0); });
}

void Job::abandon_face() {
  allocations.clear();
  mutexes.reset();
  control.close();
}

void Job::fence(const char *call) {
  if (has_other_nodes()) settle(unordered.complete_all(call));
  // SYNC put-before-flush (pairs with the message that tells the target)
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Job::fence(const char *call, int proc) {
  if (!is_on_node(proc)) settle(unordered.complete(call, proc));
  // SYNC put-before-flush (pairs with the message that tells the target)
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Job::barrier(const char *call) {
  settle(await(*this, call, [&] { return everyone_.barrier(group_resources); }, WakeUp::by_doorbell));
}

Status timed_out(const Job &job, const char *call) {
  return fail(Status::timeout, "%s on rank %d: timed out waiting for another rank (HALOCLINE_TIMEOUT)", call, job.rank());
}

void await_mpi(Job &job, const char *call, MPI_Request request, MPI_Status *status) {
  const auto look = [&] {
    int done = 0;
    HLC_TRY(check_mpi(MPI_Test(&request, &done, status), call));
    return done != 0 ? Status::ok : Status::again;
  };
  settle(await(job, call, look));
}

}  // namespace halocline::core::armci
