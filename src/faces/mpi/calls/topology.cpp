// MPI_Dist_graph_create and its sister. Such a communicator is there for neighbourhood collectives, so it gets its links where it is made: all
// ranks wait there in any case, which a nonblocking collective must not.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/neighbor_comm.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

/// A communicator that has been made. Collective.
int link(int code, const MPI_Comm *made) {
  if (code == MPI_SUCCESS && made && *made != MPI_COMM_NULL) open_neighbor_comm(*made);
  return code;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

// NOLINTBEGIN(readability-function-size): the standard's signatures
int MPI_Dist_graph_create(MPI_Comm old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
                          MPI_Info info, int reorder, MPI_Comm *made) {
  return link(host::Dist_graph_create(old, n, sources, degrees, destinations, weights, info, reorder, made), made);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm old, int in, const int sources[], const int weights_in[], int out, const int destinations[],
                                   const int weights_out[], MPI_Info info, int reorder, MPI_Comm *made) {
  return link(host::Dist_graph_create_adjacent(old, in, sources, weights_in, out, destinations, weights_out, info, reorder, made), made);
}
// NOLINTEND(readability-function-size)

HLC_MPI_PROFILED(MPI_Dist_graph_create)
HLC_MPI_PROFILED(MPI_Dist_graph_create_adjacent)

}  // extern "C"
