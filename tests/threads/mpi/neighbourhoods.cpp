// The thread MPI: neighbourhood collectives, as bundles of sends and receives. Parallel edges between two ranks are matched in the order
// listed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "threads/mpi/world.hpp"

namespace halocline::threads {
namespace {

std::unique_ptr<Request> part_of(Request::Kind kind, char *data, int count, MPI_Datatype type, int peer, int turn, Comm &comm) {
  auto part = std::make_unique<Request>();
  part->kind = kind;
  part->comm = &comm;
  part->data = data;
  part->bytes = static_cast<std::size_t>(count) * bytes_of(type);
  part->peer = peer;
  part->tag = turn;
  return part;
}

/// One side of MPI_Neighbor_alltoallw, as MPI takes it.
struct Side {
  const void *data;
  const int *counts;
  const MPI_Aint *places;
  const MPI_Datatype *types;
};

void add_parts(Request &bundle, Request::Kind kind, const std::vector<int> &peers, const Side &side, Comm &comm) {
  std::map<int, int> turns;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    char *data = static_cast<char *>(const_cast<void *>(side.data)) + side.places[i];
    bundle.parts.push_back(part_of(kind, data, side.counts[i], side.types[i], peers[i], turns[peers[i]]++, comm));
  }
}

std::unique_ptr<Request> make_bundle(const Side &out, const Side &in, MPI_Comm handle) {
  Comm &comm = comm_at(handle);
  const auto &[sources, destinations] = comm.graph[comm.me()];
  auto bundle = std::make_unique<Request>();
  bundle->kind = Request::Kind::bundle;
  add_parts(*bundle, Request::Kind::receive, sources, in, comm);
  add_parts(*bundle, Request::Kind::send, destinations, out, comm);
  return bundle;
}

}  // namespace
}  // namespace halocline::threads

using namespace halocline::threads;

extern "C" {

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int n_in, const int sources[], const int[], int n_out, const int destinations[],
                                   const int[], MPI_Info, int, MPI_Comm *graph) {
  MPI_Comm_dup(comm, graph);
  const Inside inside;
  Comm &mine = comm_at(*graph);
  mine.graph[mine.me()] = {{sources, sources + n_in}, {destinations, destinations + n_out}};
  return MPI_SUCCESS;
}

int MPI_Ineighbor_alltoallw(const void *out, const int out_counts[], const MPI_Aint out_places[], const MPI_Datatype out_types[], void *in,
                            const int in_counts[], const MPI_Aint in_places[], const MPI_Datatype in_types[], MPI_Comm comm,
                            MPI_Request *request) {
  const Inside inside;
  const Side sent{out, out_counts, out_places, out_types}, received{in, in_counts, in_places, in_types};
  begin(*requests().add(make_bundle(sent, received, comm), request));
  return MPI_SUCCESS;
}

#if MPI_VERSION >= 4
int MPI_Neighbor_alltoallw_init(const void *out, const int out_counts[], const MPI_Aint out_places[], const MPI_Datatype out_types[],
                                void *in, const int in_counts[], const MPI_Aint in_places[], const MPI_Datatype in_types[], MPI_Comm comm,
                                MPI_Info, MPI_Request *request) {
  const Inside inside;
  const Side sent{out, out_counts, out_places, out_types}, received{in, in_counts, in_places, in_types};
  requests().add(make_bundle(sent, received, comm), request)->persistent = true;
  return MPI_SUCCESS;
}
#endif

}  // extern "C"
