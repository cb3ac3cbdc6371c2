// MPI_Alltoallv_init, MPI_Alltoallw_init and MPI_Allgatherv_init: exchanges over the edges that have data.
// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>
#include <utility>

#include "faces/mpi/collective/call_counts.hpp"
#include "faces/mpi/collective/init.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

int refuse_init(MPI_Comm comm, int code) {
  explain_call(comm, code);
  PMPI_Comm_call_errhandler(comm, code);
  asm volatile("");  // not a tail call: the message has the function's name from its frame
  return code;
}

/// What a call asks for, with the host's function in its place, which may be missing.
struct Init {
  Collective call;
  MPI_Comm comm;
  MPI_Request *request;
  std::function<int(MPI_Request *)> by_host;
};

/// An intracommunicator.
bool is_own_kind(const Init &init) {
  int joins = 0;
  return init.comm != MPI_COMM_NULL && init.request && PMPI_Comm_test_inter(init.comm, &joins) == MPI_SUCCESS && !joins;
}

/// The blocks that have bytes: both ends of an edge have as many.
void add_edges(const std::vector<Block> &all, std::vector<EdgeEnd> &edges, std::vector<Block> &blocks) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].bytes() == 0) continue;
    edges.push_back({static_cast<int>(rank), 0, 0});
    blocks.push_back(all[rank]);
  }
}

/// A block of each rank: between groups, of each of the other one.
BlockNumbers numbers_for(MPI_Comm comm, bool in_place) {
  int joins = 0, ranks = 0;
  PMPI_Comm_test_inter(comm, &joins);
  joins ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
  const auto blocks = static_cast<std::size_t>(ranks);
  return {blocks, blocks, in_place};
}

BlockLists lists_for(MPI_Comm comm) {
  const BlockNumbers numbers = numbers_for(comm, false);
  return {std::vector<Block>(numbers.out), std::vector<Block>(numbers.in)};
}

/// `begin`: the nonblocking call, for a host that has no persistent one.
template <class Function, class Sent, class Received>
int finish_init(const Init &init, Function begin, const Sent &sent, const Received &received, const BlockLists *all, bool copies_first) {
  std::unique_ptr<OwnRequest> made;
  if (all) {
    Pattern pattern;
    BlockLists blocks;
    add_edges(all->out, pattern.out, blocks.out);
    add_edges(all->in, pattern.in, blocks.in);
    if (const int code = check_addresses(blocks.out, pattern.out)) return refuse_init(init.comm, code);
    if (const int code = check_addresses(blocks.in, pattern.in)) return refuse_init(init.comm, code);
    made = make_persistent(init.comm, std::move(pattern), std::move(blocks), copies_first);
  }
  count_collective(init.call, made != nullptr);
  if (!made && init.by_host) return init.by_host(init.request);
  if constexpr (!std::is_null_pointer_v<Function>)
    if (!made)
      if (const int code = make_host_request(begin, init.comm, sent, received, numbers_for(init.comm, sent.buffer == MPI_IN_PLACE), &made))
        return refuse_init(init.comm, code);
  if (!made) return refuse_init(init.comm, refuse(MPI_ERR_OTHER, "the host MPI does not have this function"));
  const int code = give_handle(std::move(made), init.request);
  return code == MPI_SUCCESS ? code : refuse_init(init.comm, code);
}

/// In place, a rank sends what is stored where it receives.
template <class Function, class Blocks>
int init_all_to_all(const Init &init, Function begin, const Blocks &sent, const Blocks &received) {
  if (!is_own_kind(init)) return finish_init(init, begin, sent, received, nullptr, false);
  const bool in_place = sent.buffer == MPI_IN_PLACE;
  BlockLists blocks = lists_for(init.comm);
  if (const int code = received.fill(blocks.in)) return refuse_init(init.comm, code);
  if (const int code = (in_place ? received : sent).fill(blocks.out)) return refuse_init(init.comm, code);
  return finish_init(init, begin, sent, received, &blocks, in_place);
}

/// In place, the block that a rank sends is stored where its own would arrive, and stays there.
template <class Function, class Blocks>
int init_all_gather(const Init &init, Function begin, const EqualBlocks &sent, const Blocks &received) {
  if (!is_own_kind(init)) return finish_init(init, begin, sent, received, nullptr, false);
  const bool in_place = sent.buffer == MPI_IN_PLACE;
  int rank = 0;
  PMPI_Comm_rank(init.comm, &rank);
  const auto me = static_cast<std::size_t>(rank);
  BlockLists blocks = lists_for(init.comm);
  if (const int code = received.fill(blocks.in)) return refuse_init(init.comm, code);
  std::vector<Block> one(1, blocks.in[me]);
  if (!in_place)
    if (const int code = sent.fill(one)) return refuse_init(init.comm, code);
  for (Block &block : blocks.out) block = one.front();
  if (in_place) blocks.out[me].count = blocks.in[me].count = 0;
  return finish_init(init, begin, sent, received, &blocks, false);
}

/// Null if the host has no such function.
template <class Function, class... Arguments>
std::function<int(MPI_Request *)> host_call(Function *function, Arguments... arguments) {
  if (!function) return nullptr;
  return [=](MPI_Request *request) { return function(arguments..., request); };
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request) {
  using Blocks = UnequalBlocks<int, int>;
  return init_all_to_all(
      {Collective::alltoallv_init, comm, request,
       host_call(host::Alltoallv_init, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info)},
      PMPI_Ialltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype}, Blocks{recvbuf, recvcounts, rdispls, recvtype});
}

int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                       const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                       MPI_Request *request) {
  using Blocks = TypedBlocks<int, int>;
  return init_all_to_all(
      {Collective::alltoallw_init, comm, request,
       host_call(host::Alltoallw_init, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info)},
      PMPI_Ialltoallw, Blocks{sendbuf, sendcounts, sdispls, sendtypes}, Blocks{recvbuf, recvcounts, rdispls, recvtypes});
}

int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                        const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return init_all_gather(
      {Collective::allgatherv_init, comm, request,
       host_call(host::Allgatherv_init, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info)},
      PMPI_Iallgatherv, EqualBlocks{sendbuf, sendcount, sendtype}, UnequalBlocks<int, int>{recvbuf, recvcounts, displs, recvtype});
}

#if MPI_VERSION >= 4
int MPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request) {
  using Blocks = UnequalBlocks<MPI_Count, MPI_Aint>;
  return init_all_to_all(
      {Collective::alltoallv_init, comm, request,
       host_call(host::Alltoallv_init_c, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info)},
      nullptr, Blocks{sendbuf, sendcounts, sdispls, sendtype}, Blocks{recvbuf, recvcounts, rdispls, recvtype});
}

int MPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                         void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                         MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  using Blocks = TypedBlocks<MPI_Count, MPI_Aint>;
  return init_all_to_all(
      {Collective::alltoallw_init, comm, request,
       host_call(host::Alltoallw_init_c, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info)},
      nullptr, Blocks{sendbuf, sendcounts, sdispls, sendtypes}, Blocks{recvbuf, recvcounts, rdispls, recvtypes});
}

int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                          const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return init_all_gather(
      {Collective::allgatherv_init, comm, request,
       host_call(host::Allgatherv_init_c, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info)},
      nullptr, EqualBlocks{sendbuf, sendcount, sendtype}, UnequalBlocks<MPI_Count, MPI_Aint>{recvbuf, recvcounts, displs, recvtype});
}
#endif

HLC_MPI_PROFILED(MPI_Alltoallv_init)
HLC_MPI_PROFILED(MPI_Alltoallw_init)
HLC_MPI_PROFILED(MPI_Allgatherv_init)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Alltoallv_init_c)
HLC_MPI_PROFILED(MPI_Alltoallw_init_c)
HLC_MPI_PROFILED(MPI_Allgatherv_init_c)
#endif

}  // extern "C"
