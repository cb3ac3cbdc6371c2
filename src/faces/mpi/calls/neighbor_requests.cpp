// MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init and their relatives.
// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <type_traits>
#include <utility>

#include "faces/mpi/collective/call_counts.hpp"
#include "faces/mpi/collective/init.hpp"
#include "faces/mpi/collective/neighbor_comm.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

/// An error of this rank alone.
int refuse_request(MPI_Comm comm, int code) {
  explain_call(comm, code);
  PMPI_Comm_call_errhandler(comm, code);
  asm volatile("");  // not a tail call: the message has the function's name from its frame
  return code;
}

/// A rank that cannot make its request leaves the links: its later ones would meet those of other ranks that it has not made.
int leave_for(int code, Links &links) {
  if (is_of_arguments(code)) return code;
  const std::lock_guard lock(links.busy);
  return links.leave(), code;
}

template <class Sent, class Received>
int begin(const std::shared_ptr<Links> &links, MPI_Comm comm, const Sent &sent, const Received &received, MPI_Request *request) {
  auto made = std::make_unique<ExchangeRequest>(OwnRequest::Kind::once, links);
  if (const int code = sent.fill(made->exchange().out)) return code;
  if (const int code = received.fill(made->exchange().in)) return code;
  if (const int code = links->check(made->exchange())) return code;
  if (const int code = made->keep_types()) return code;
  if (const int code = give_handle(*made)) return code;
  made->comm = comm;
  if (const int code = made->start()) return code;
  made->is_active = true;
  *request = made.release()->handle;
  return MPI_SUCCESS;
}

/// A nonblocking call must not wait for others, so it makes no links: those of an earlier blocking call, or of the call that has made the
/// communicator, or the host.
template <class Sent, class Received, class Host>
[[gnu::always_inline]] inline int begin_blocks(Collective call, MPI_Comm comm, const Sent &sent, const Received &received,
                                               MPI_Request *request, Host host) {
  const NeighborComm *const known = known_neighbor_comm(comm);
  if (!known || !known->links || !request) return count_collective(call, false), host();
  const int code = with_memory([&] { return begin(known->links, comm, sent, received, request); });
  if (code != MPI_SUCCESS) return refuse_request(comm, leave_for(code, *known->links));
  return count_collective(call, true), code;
}

/// How many blocks a rank has. An MPI error code.
int count_blocks(MPI_Comm comm, BlockNumbers *numbers) {
  return with_memory([&]() -> int {
    Pattern pattern;
    const int code = read_topology(comm, &pattern);
    *numbers = {pattern.out.size(), pattern.in.size()};
    return code;
  });
}

/// `init_by_host`: null if the host has no such function. `begin`: the nonblocking call, for such a host.
template <class Sent, class Received, class InitByHost, class Function>
// NOLINTNEXTLINE(readability-function-size): what a call of MPI has
int init_blocks(Collective call, MPI_Comm comm, const Sent &sent, const Received &received, MPI_Request *request, InitByHost init_by_host,
                Function begin) {
  std::unique_ptr<OwnRequest> made;
  int code = MPI_SUCCESS;
  if (comm != MPI_COMM_NULL && has_topology(comm)) {
    Described described;
    const auto describe = [&]() -> int {
      Pattern &pattern = described.pattern;
      BlockLists &blocks = described.blocks;
      if (!request) return refuse(MPI_ERR_ARG, "the address of the request is NULL");
      if (const int known = read_topology(comm, &pattern)) return known;
      blocks = {std::vector<Block>(pattern.out.size()), std::vector<Block>(pattern.in.size())};
      if (const int refused = sent.fill(blocks.out)) return refused;
      if (const int refused = received.fill(blocks.in)) return refused;
      if (const int refused = check_addresses(blocks.out, pattern.out)) return refused;
      return check_addresses(blocks.in, pattern.in);
    };
    described.note(with_memory(describe));
    made = make_persistent(comm, std::move(described), &code);
  }
  if (code != MPI_SUCCESS) return refuse_request(comm, code);
  count_collective(call, made != nullptr);
  if (!made && init_by_host.exists()) return init_by_host(request);
  if constexpr (!std::is_null_pointer_v<Function>)
    if (!made) {
      BlockNumbers numbers;
      code = count_blocks(comm, &numbers);
      code = make_host_request(begin, comm, sent, received, code, numbers, &made);
      if (code != MPI_SUCCESS) return refuse_request(comm, code);
    }
  if (!made) return refuse_request(comm, refuse(MPI_ERR_OTHER, "the host MPI does not have this function"));
  *request = made.release()->handle;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

// NOLINTBEGIN(readability-function-size): the standard's signatures
int MPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                           MPI_Comm comm, MPI_Request *request) {
  return begin_blocks(Collective::ineighbor_alltoall, comm, EqualBlocks{sendbuf, sendcount, sendtype},
                      EqualBlocks{recvbuf, recvcount, recvtype}, request,
                      [=] { return host::Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                            const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  using Blocks = UnequalBlocks<int, int>;
  return begin_blocks(Collective::ineighbor_alltoallv, comm, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                      Blocks{recvbuf, recvcounts, rdispls, recvtype}, request, [=] {
                        return host::Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                                         comm, request);
                      });
}

int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                            void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request *request) {
  using Blocks = TypedBlocks<int, MPI_Aint>;
  return begin_blocks(Collective::ineighbor_alltoallw, comm, Blocks{sendbuf, sendcounts, sdispls, sendtypes},
                      Blocks{recvbuf, recvcounts, rdispls, recvtypes}, request, [=] {
                        return host::Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                                         comm, request);
                      });
}

int MPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return init_blocks(Collective::neighbor_alltoall_init, comm, EqualBlocks{sendbuf, sendcount, sendtype},
                     EqualBlocks{recvbuf, recvcount, recvtype}, request,
                     host_init(host::Neighbor_alltoall_init, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info),
                     host::Ineighbor_alltoall);
}

int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request) {
  using Blocks = UnequalBlocks<int, int>;
  return init_blocks(
      Collective::neighbor_alltoallv_init, comm, Blocks{sendbuf, sendcounts, sdispls, sendtype},
      Blocks{recvbuf, recvcounts, rdispls, recvtype}, request,
      host_init(host::Neighbor_alltoallv_init, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info),
      host::Ineighbor_alltoallv);
}

int MPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  using Blocks = TypedBlocks<int, MPI_Aint>;
  return init_blocks(Collective::neighbor_alltoallw_init, comm, Blocks{sendbuf, sendcounts, sdispls, sendtypes},
                     Blocks{recvbuf, recvcounts, rdispls, recvtypes}, request,
                     host_init(host::Neighbor_alltoallw_init, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                               recvtypes, comm, info),
                     host::Ineighbor_alltoallw);
}

#if MPI_VERSION >= 4
int MPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  return begin_blocks(
      Collective::ineighbor_alltoall, comm, EqualBlocks{sendbuf, sendcount, sendtype}, EqualBlocks{recvbuf, recvcount, recvtype}, request,
      [=] { return host::Ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request *request) {
  using Blocks = UnequalBlocks<MPI_Count, MPI_Aint>;
  return begin_blocks(Collective::ineighbor_alltoallv, comm, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                      Blocks{recvbuf, recvcounts, rdispls, recvtype}, request, [=] {
                        return host::Ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                                           comm, request);
                      });
}

int MPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                              MPI_Comm comm, MPI_Request *request) {
  using Blocks = TypedBlocks<MPI_Count, MPI_Aint>;
  return begin_blocks(Collective::ineighbor_alltoallw, comm, Blocks{sendbuf, sendcounts, sdispls, sendtypes},
                      Blocks{recvbuf, recvcounts, rdispls, recvtypes}, request, [=] {
                        return host::Ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                                           comm, request);
                      });
}

int MPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return init_blocks(
      Collective::neighbor_alltoall_init, comm, EqualBlocks{sendbuf, sendcount, sendtype}, EqualBlocks{recvbuf, recvcount, recvtype},
      request, host_init(host::Neighbor_alltoall_init_c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info), nullptr);
}

int MPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                  void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  using Blocks = UnequalBlocks<MPI_Count, MPI_Aint>;
  return init_blocks(Collective::neighbor_alltoallv_init, comm, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                     Blocks{recvbuf, recvcounts, rdispls, recvtype}, request,
                     host_init(host::Neighbor_alltoallv_init_c, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                               recvtype, comm, info),
                     nullptr);
}

int MPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                  const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  using Blocks = TypedBlocks<MPI_Count, MPI_Aint>;
  return init_blocks(Collective::neighbor_alltoallw_init, comm, Blocks{sendbuf, sendcounts, sdispls, sendtypes},
                     Blocks{recvbuf, recvcounts, rdispls, recvtypes}, request,
                     host_init(host::Neighbor_alltoallw_init_c, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                               recvtypes, comm, info),
                     nullptr);
}
#endif
// NOLINTEND(readability-function-size)

HLC_MPI_PROFILED(MPI_Ineighbor_alltoall)
HLC_MPI_PROFILED(MPI_Ineighbor_alltoallv)
HLC_MPI_PROFILED(MPI_Ineighbor_alltoallw)
HLC_MPI_PROFILED(MPI_Neighbor_alltoall_init)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallv_init)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallw_init)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Ineighbor_alltoall_c)
HLC_MPI_PROFILED(MPI_Ineighbor_alltoallv_c)
HLC_MPI_PROFILED(MPI_Ineighbor_alltoallw_c)
HLC_MPI_PROFILED(MPI_Neighbor_alltoall_init_c)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallv_init_c)
HLC_MPI_PROFILED(MPI_Neighbor_alltoallw_init_c)
#endif

}  // extern "C"
