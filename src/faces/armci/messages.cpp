// Messages and broadcasts: on a node through rings, elsewhere over MPI. They wait in a loop that serves other processes, and that ends when one
// is lost.
// SPDX-License-Identifier: BSD-3-Clause
#include <message.h>
#include <parmci.h>

#include <algorithm>

#include "faces/armci/node_collectives.hpp"
#include "faces/armci/scopes.hpp"

using namespace halocline::core::armci;
using halocline::core::Status;
using halocline::core::WakeUp;

namespace {

void check_process(const Job &job, const char *call, const char *name, int proc) {
  if (proc < 0 || proc >= job.size())
    end_all_with("%s on rank %d: %s is %d but must be 0 to %d", call, job.rank(), name, proc, job.size() - 1);
}

void check_bytes(const Job &job, const char *call, const void *buffer, int bytes) {
  if (bytes < 0) end_all_with("%s on rank %d: the length is %d but must be 0 or more", call, job.rank(), bytes);
  if (bytes > 0 && !buffer) end_all_with("%s on rank %d: the buffer is NULL", call, job.rank());
}

void check_tag(const Job &job, const char *call, int tag) {
  if (tag < 0) end_all_with("%s on rank %d: tag is %d but must be 0 or more", call, job.rank(), tag);
}

/// This process's place in a binary tree of some processes.
void find_place_in_tree(const std::vector<int> &procs, int proc, int *tree[4]) {
  const auto at = [&](int index) {
    return index >= 0 && index < static_cast<int>(procs.size()) ? procs[static_cast<std::size_t>(index)] : -1;
  };
  const auto found = std::find(procs.begin(), procs.end(), proc);
  const int me = found == procs.end() ? -1 : static_cast<int>(found - procs.begin());
  *tree[0] = at(0);
  *tree[1] = me <= 0 ? -1 : at((me - 1) / 2);
  *tree[2] = me < 0 ? -1 : at(2 * me + 1);
  *tree[3] = me < 0 ? -1 : at(2 * me + 2);
}

void broadcast(Job &job, const char *call, void *buffer, int bytes, int root, MPI_Comm comm) {
  check_bytes(job, call, buffer, bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request), "MPI_Ibcast");
  await_mpi(job, call, request);
}

/// `root` is a process of the world group.
// NOLINTNEXTLINE(readability-function-size): a scope's part of armci_msg_bcast_scope
void broadcast_in_scope(Job &job, const char *call, int scope, const ARMCI_Group &group, void *buffer, int bytes, int root) {
  if (is_by_rings(job, scope, group, bytes) && root >= 0 && root < job.size() && job.is_on_node(root)) {
    check_bytes(job, call, buffer, bytes);
    return broadcast_by_rings({job, call, scope}, buffer, bytes, job.member_of(root));
  }
  const ScopeComm comm(job, call, scope, group);
  if (!comm.is_member()) return;
  broadcast(job, call, buffer, bytes, comm.rank_of(job, call, root), comm.get());
}

void refuse_long(const Job &job, const char *call, std::int64_t count, int buflen) {
  if (count > buflen)
    end_all_with("%s on rank %d: the message has %lld bytes, but the buffer %d", call, job.rank(), static_cast<long long>(count), buflen);
}

/// A message from any process but this one: the process, and the message itself if a ring has carried it. MPICH 5.0.2 loses receives from
/// MPI_ANY_SOURCE where processes of this node and of another one send, so MPI is probed.
Status look_for_any(Job &job, Wanted &wanted, int *source) {
  if (const Status found = job.node_messages.receive_any(wanted); found != Status::again) {
    *source = job.context.rank_of(wanted.from);
    return found;
  }
  if (!job.has_other_nodes()) return Status::again;
  MPI_Status status;
  int arrived = 0;
  settle_mpi(MPI_Iprobe(MPI_ANY_SOURCE, wanted.tag, job.world.comm, &arrived, &status), "MPI_Iprobe");
  // The rings have the heads of the node's messages.
  if (arrived == 0 || job.is_on_node(status.MPI_SOURCE)) return Status::again;
  wanted.carrier = Carrier::mpi;
  *source = status.MPI_SOURCE;
  return Status::ok;
}

/// Waits for the first message of a process, or of any; returns which. It is there if a ring has carried it.
int await_message(Job &job, const char *call, int from, Wanted &wanted) {
  int source = from;
  if (from == MPI_ANY_SOURCE) {
    settle(await(
        job, call,
        [&] {
          if (!job.own_messages.has(wanted.tag)) return look_for_any(job, wanted, &source);
          source = job.rank();
          return Status::ok;
        },
        job.has_other_nodes() ? WakeUp::by_polling : WakeUp::by_doorbell));
  } else if (from != job.rank() && job.is_on_node(from)) {
    wanted.from = job.member_of(from);
    settle(await(job, call, [&] { return job.node_messages.receive(wanted); }, WakeUp::by_doorbell));
  }
  return source;
}

/// Takes a message that this process has sent to itself. Returns its length.
int receive_own(Job &job, const char *call, int tag, void *buffer, int buflen) {
  const auto bytes = job.own_messages.take(tag);
  if (!bytes) end_all_with("%s on rank %d: the rank has sent itself no message with tag %d", call, job.rank(), tag);
  const auto length = static_cast<int>(bytes->size());
  refuse_long(job, call, length, buflen);
  std::copy(bytes->begin(), bytes->end(), static_cast<char *>(buffer));
  return length;
}

int receive_by_mpi(Job &job, const char *call, const Wanted &wanted, int source) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int length = 0;
  settle_mpi(MPI_Irecv(wanted.to, static_cast<int>(wanted.capacity), MPI_BYTE, source, wanted.tag, job.world.comm, &request), "MPI_Irecv");
  await_mpi(job, call, request, &status);
  MPI_Get_count(&status, MPI_BYTE, &length);
  return length;
}

int receive(const char *call, int tag, void *buffer, int buflen, int *msglen, int from) {
  return enter(call, [&](Job &job) {
    check_bytes(job, call, buffer, buflen);
    check_tag(job, call, tag);
    Wanted wanted{.from = 0, .tag = tag, .to = buffer, .capacity = buflen, .count = 0, .carrier = Carrier::mpi};
    const int source = await_message(job, call, from, wanted);
    int length = 0;
    if (source == job.rank()) {
      length = receive_own(job, call, tag, buffer, buflen);
    } else if (wanted.carrier == Carrier::ring) {
      refuse_long(job, call, wanted.count, buflen);
      length = static_cast<int>(wanted.count);
    } else {
      length = receive_by_mpi(job, call, wanted, source);
    }
    if (msglen) *msglen = length;
    return source;
  });
}

void send(Job &job, const char *call, int tag, const void *buffer, int len, int to) {
  Carrier carrier = Carrier::mpi;
  if (job.is_on_node(to)) {
    const Outgoing message{job.member_of(to), tag, buffer, len};
    settle(await(job, call, [&] { return job.node_messages.send(message, &carrier); }));
  }
  if (carrier == Carrier::ring) return;
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Isend(buffer, len, MPI_BYTE, to, tag, job.world.comm, &request), "MPI_Isend");
  await_mpi(job, call, request);
}

}  // namespace

extern "C" {

int armci_msg_me(void) {
  if (const Job *const job = the_job()) return job->rank();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int armci_msg_nproc(void) {
  if (const Job *const job = the_job()) return job->size();
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void armci_msg_abort(int code) {
  refuse(code, "armci_msg_abort on rank %d: the program ends with code %d", rank_or_none(), code);
  end_all_at(code);
}

void armci_msg_init(int *argc, char ***argv) {
  int begun = 0, provided = 0;
  MPI_Initialized(&begun);
  if (begun == 0) settle_mpi(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
}

MPI_Comm armci_group_comm(ARMCI_Group *group) {
  constexpr const char *call = "armci_group_comm";
  return enter(call, [&](const Job &job) {
    check_member(job, call, group);
    return group->comm;
  });
}

void armci_msg_finalize(void) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Finalize();
}

double armci_timer(void) { return MPI_Wtime(); }

void armci_msg_snd(int tag, void *buffer, int len, int to) {
  constexpr const char *call = "armci_msg_snd";
  enter(call, [&](Job &job) {
    check_process(job, call, "to", to);
    check_bytes(job, call, buffer, len);
    check_tag(job, call, tag);
    if (to == job.rank()) return job.own_messages.send(tag, buffer, len);
    send(job, call, tag, buffer, len, to);
  });
}

void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from) {
  constexpr const char *call = "armci_msg_rcv";
  enter(call, [&](const Job &job) { check_process(job, call, "from", from); });
  receive(call, tag, buffer, buflen, msglen, from);
}

int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen) {
  return receive("armci_msg_rcvany", tag, buffer, buflen, msglen, MPI_ANY_SOURCE);
}

void parmci_msg_barrier(void) {
  constexpr const char *call = "armci_msg_barrier";
  enter(call, [&](Job &job) { job.barrier(call); });
}

void parmci_msg_group_barrier(ARMCI_Group *group) {
  constexpr const char *call = "armci_msg_group_barrier";
  enter(call, [&](Job &job) {
    check_member(job, call, group);
    group_barrier(job, call, *group);
  });
}

void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right) {
  constexpr const char *call = "armci_msg_bintree";
  enter(call, [&](const Job &job) {
    int *tree[] = {Root, Up, Left, Right};
    for (const int *number : tree) need_argument(call, "Root, Up, Left or Right", number);
    find_place_in_tree(procs_in(job, call, scope), job.rank(), tree);
  });
}

void armci_msg_bcast_scope(int scope, void *buffer, int len, int root) {
  constexpr const char *call = "armci_msg_bcast_scope";
  enter(call, [&](Job &job) { broadcast_in_scope(job, call, scope, job.world, buffer, len, root); });
}

void armci_msg_bcast(void *buffer, int len, int root) { armci_msg_bcast_scope(SCOPE_ALL, buffer, len, root); }
void armci_msg_brdcst(void *buffer, int len, int root) { armci_msg_bcast_scope(SCOPE_ALL, buffer, len, root); }

void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group) {
  constexpr const char *call = "armci_msg_group_bcast_scope";
  enter(call, [&](Job &job) {
    check_member(job, call, group);
    broadcast_in_scope(job, call, scope, *group, buf, len, root);
  });
}

void armci_msg_clus_brdcst(void *buf, int len) {
  constexpr const char *call = "armci_msg_clus_brdcst";
  enter(call, [&](Job &job) { broadcast_in_scope(job, call, SCOPE_NODE, job.world, buf, len, job.procs_of(job.context.node()).front()); });
}

void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc, ARMCI_Group *mastergroup) {
  constexpr const char *call = "armci_grp_clus_brdcst";
  enter(call, [&](Job &job) {
    check_member(job, call, mastergroup);
    const ScopeComm comm(job, call, *mastergroup, grp_master, grp_clus_nproc);
    if (comm.is_member()) broadcast(job, call, buf, len, 0, comm.get());
  });
}

decltype(parmci_msg_barrier) armci_msg_barrier __attribute__((weak, alias("parmci_msg_barrier")));
decltype(parmci_msg_group_barrier) armci_msg_group_barrier __attribute__((weak, alias("parmci_msg_group_barrier")));

}  // extern "C"
