// MPI_Neighbor_alltoall and its relatives, blocking.
// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>

#include "faces/mpi/collective/blocks.hpp"
#include "faces/mpi/collective/call_counts.hpp"
#include "faces/mpi/collective/neighbor_comm.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

/// An error of this rank alone, as the host's. Others wait for it.
int refuse_on(MPI_Comm comm, int code) {
  explain_call(comm, code);
  PMPI_Comm_call_errhandler(comm, code);
  asm volatile("");  // not a tail call: the message has the function's name from its frame
  return code;
}

/// The links of a communicator, made if this is its first call; null if the host carries the call. Collective.
Links *find_links(MPI_Comm comm) {
  NeighborComm *found = known_neighbor_comm(comm);
  if (!found && comm != MPI_COMM_NULL && has_topology(comm)) found = open_neighbor_comm(comm);
  return found ? found->links.get() : nullptr;
}

/// Does it in one go, if no rank has to be waited for.
template <class Sent, class Received>
int run(Links &links, const Sent &sent, const Received &received) {
  std::unique_lock lock(links.busy);
  Exchange *exchange = nullptr;
  int code = with_memory([&]() -> int {
    exchange = &links.take();
    if (const int refused = sent.fill(exchange->out)) return refused;
    if (const int refused = received.fill(exchange->in)) return refused;
    return links.check(*exchange);
  });
  if (code != MPI_SUCCESS && !is_of_arguments(code)) links.leave();
  if (code == MPI_SUCCESS) code = links.start(*exchange);
  if (code == MPI_SUCCESS) {
    lock.unlock();
    code = links.await(*exchange);
    lock.lock();
  }
  if (exchange) links.give_back(*exchange);
  return code;
}

template <class Sent, class Received, class Host>
[[gnu::always_inline]] inline int exchange_blocks(Collective call, MPI_Comm comm, const Sent &sent, const Received &received, Host host) {
  Links *const links = find_links(comm);
  if (!links) return count_collective(call, false), host();
  const int code = run(*links, sent, received);
  if (code != MPI_SUCCESS) return refuse_on(comm, code);
  return count_collective(call, true), code;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large counts where the MPI has one.

extern "C" {

// NOLINTBEGIN(readability-function-size): the standard's signatures
int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                          MPI_Comm comm) {
  return exchange_blocks(Collective::neighbor_alltoall, comm, EqualBlocks{sendbuf, sendcount, sendtype},
                         EqualBlocks{recvbuf, recvcount, recvtype},
                         [=] { return host::Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                           const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_blocks(
      Collective::neighbor_alltoallv, comm, UnequalBlocks<int, int>{sendbuf, sendcounts, sdispls, sendtype},
      UnequalBlocks<int, int>{recvbuf, recvcounts, rdispls, recvtype},
      [=] { return host::Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); });
}

int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                           void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return exchange_blocks(
      Collective::neighbor_alltoallw, comm, TypedBlocks<int, MPI_Aint>{sendbuf, sendcounts, sdispls, sendtypes},
      TypedBlocks<int, MPI_Aint>{recvbuf, recvcounts, rdispls, recvtypes},
      [=] { return host::Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); });
}

#if MPI_VERSION >= 4
int MPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_blocks(Collective::neighbor_alltoall, comm, EqualBlocks{sendbuf, sendcount, sendtype},
                         EqualBlocks{recvbuf, recvcount, recvtype},
                         [=] { return host::Neighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                             void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  using Blocks = UnequalBlocks<MPI_Count, MPI_Aint>;
  return exchange_blocks(
      Collective::neighbor_alltoallv, comm, Blocks{sendbuf, sendcounts, sdispls, sendtype}, Blocks{recvbuf, recvcounts, rdispls, recvtype},
      [=] { return host::Neighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm); });
}

int MPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                             void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                             MPI_Comm comm) {
  using Blocks = TypedBlocks<MPI_Count, MPI_Aint>;
  return exchange_blocks(
      Collective::neighbor_alltoallw, comm, Blocks{sendbuf, sendcounts, sdispls, sendtypes},
      Blocks{recvbuf, recvcounts, rdispls, recvtypes},
      [=] { return host::Neighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm); });
}
#endif
// NOLINTEND(readability-function-size)

HLC_MPI_PROFILED(MPI_Neighbor_alltoall)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallv)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallw)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Neighbor_alltoall_c)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallv_c)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallw_c)
#endif

}  // extern "C"
