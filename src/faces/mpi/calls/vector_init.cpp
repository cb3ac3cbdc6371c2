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
template <class ByHost>
struct Init {
  Collective call;
  MPI_Comm comm;
  MPI_Request *request;
  ByHost by_host;

  bool is_intracomm() const {
    int joins = 0;
    return comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &joins) == MPI_SUCCESS && !joins;
  }
};
template <class ByHost>
Init(Collective, MPI_Comm, MPI_Request *, ByHost) -> Init<ByHost>;

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

/// `fill`: the blocks of all ranks. `begin`: the nonblocking call, for a host that has no persistent one.
template <class ByHost, class Function, class Sent, class Received, class Fill>
int init_vector(const Init<ByHost> &init, Function begin, const Sent &sent, const Received &received, Described described, Fill fill) {
  std::unique_ptr<OwnRequest> made;
  const bool in_place = sent.buffer == MPI_IN_PLACE;
  int code = MPI_SUCCESS;
  if (init.is_intracomm()) {
    const auto describe = [&]() -> int {
      if (!init.request) return refuse(MPI_ERR_ARG, "the address of the request is NULL");
      BlockLists all = lists_for(init.comm);
      if (const int refused = fill(all)) return refused;
      add_edges(all.out, described.pattern.out, described.blocks.out);
      add_edges(all.in, described.pattern.in, described.blocks.in);
      if (const int refused = check_addresses(described.blocks.out, described.pattern.out)) return refused;
      return check_addresses(described.blocks.in, described.pattern.in);
    };
    described.note(with_memory(describe));
    made = make_persistent(init.comm, std::move(described), &code);
  }
  if (code != MPI_SUCCESS) return refuse_init(init.comm, code);
  count_collective(init.call, made != nullptr);
  if (!made && init.by_host.exists()) return init.by_host(init.request);
  if constexpr (!std::is_null_pointer_v<Function>)
    if (!made) code = make_host_request(begin, init.comm, sent, received, MPI_SUCCESS, numbers_for(init.comm, in_place), &made);
  if (code != MPI_SUCCESS) return refuse_init(init.comm, code);
  if (!made) return refuse_init(init.comm, refuse(MPI_ERR_OTHER, "the host MPI does not have this function"));
  *init.request = made.release()->handle;
  return MPI_SUCCESS;
}

/// In place, a rank sends what is stored where it receives.
template <class ByHost, class Function, class Blocks>
int init_all_to_all(const Init<ByHost> &init, Function begin, const Blocks &sent, const Blocks &received) {
  Described described;
  described.copies_first = sent.buffer == MPI_IN_PLACE;
  const Blocks &source = described.copies_first ? received : sent;
  return init_vector(init, begin, sent, received, std::move(described), [&](BlockLists &all) -> int {
    const int code = received.fill(all.in);
    return code == MPI_SUCCESS ? source.fill(all.out) : code;
  });
}

/// In place, the block that a rank sends is stored where its own would arrive, and stays there.
template <class ByHost, class Function, class Blocks>
int init_all_gather(const Init<ByHost> &init, Function begin, const EqualBlocks &sent, const Blocks &received) {
  return init_vector(init, begin, sent, received, {}, [&](BlockLists &all) -> int {
    const bool in_place = sent.buffer == MPI_IN_PLACE;
    int rank = 0;
    PMPI_Comm_rank(init.comm, &rank);
    const auto me = static_cast<std::size_t>(rank);
    if (const int code = received.fill(all.in)) return code;
    std::vector<Block> one(1, all.in[me]);
    if (!in_place)
      if (const int code = sent.fill(one)) return code;
    for (Block &block : all.out) block = one.front();
    if (in_place) all.out[me].count = all.in[me].count = 0;
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

// NOLINTBEGIN(readability-function-size): the standard's signatures
int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request) {
  using Blocks = UnequalBlocks<int, int>;
  return init_all_to_all(
      Init{Collective::alltoallv_init, comm, request,
           host_init(host::Alltoallv_init, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info)},
      PMPI_Ialltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype}, Blocks{recvbuf, recvcounts, rdispls, recvtype});
}

int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                       const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                       MPI_Request *request) {
  using Blocks = TypedBlocks<int, int>;
  return init_all_to_all(
      Init{Collective::alltoallw_init, comm, request,
           host_init(host::Alltoallw_init, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info)},
      PMPI_Ialltoallw, Blocks{sendbuf, sendcounts, sdispls, sendtypes}, Blocks{recvbuf, recvcounts, rdispls, recvtypes});
}

int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                        const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return init_all_gather(
      Init{Collective::allgatherv_init, comm, request,
           host_init(host::Allgatherv_init, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info)},
      PMPI_Iallgatherv, EqualBlocks{sendbuf, sendcount, sendtype}, UnequalBlocks<int, int>{recvbuf, recvcounts, displs, recvtype});
}

#if MPI_VERSION >= 4
int MPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request) {
  using Blocks = UnequalBlocks<MPI_Count, MPI_Aint>;
  return init_all_to_all(
      Init{Collective::alltoallv_init, comm, request,
           host_init(host::Alltoallv_init_c, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info)},
      nullptr, Blocks{sendbuf, sendcounts, sdispls, sendtype}, Blocks{recvbuf, recvcounts, rdispls, recvtype});
}

int MPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                         void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                         MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  using Blocks = TypedBlocks<MPI_Count, MPI_Aint>;
  return init_all_to_all(
      Init{Collective::alltoallw_init, comm, request,
           host_init(host::Alltoallw_init_c, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info)},
      nullptr, Blocks{sendbuf, sendcounts, sdispls, sendtypes}, Blocks{recvbuf, recvcounts, rdispls, recvtypes});
}

int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                          const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return init_all_gather(
      Init{Collective::allgatherv_init, comm, request,
           host_init(host::Allgatherv_init_c, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info)},
      nullptr, EqualBlocks{sendbuf, sendcount, sendtype}, UnequalBlocks<MPI_Count, MPI_Aint>{recvbuf, recvcounts, displs, recvtype});
}
#endif
// NOLINTEND(readability-function-size)

HLC_MPI_PROFILED(MPI_Alltoallv_init)
HLC_MPI_PROFILED(MPI_Alltoallw_init)
HLC_MPI_PROFILED(MPI_Allgatherv_init)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Alltoallv_init_c)
HLC_MPI_PROFILED(MPI_Alltoallw_init_c)
HLC_MPI_PROFILED(MPI_Allgatherv_init_c)
#endif

}  // extern "C"
