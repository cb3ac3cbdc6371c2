// SPDX-License-Identifier: BSD-3-Clause
#include "comm.hpp"

#include <sched.h>

#include <climits>

namespace common {
namespace {

/// A rank that polls in a blocking call of some MPIs keeps its core for whole time slices, while another one has yet to enter the call.
void finish_yielding(MPI_Request request) {
  constexpr int looks = 200;
  int done = 0;
  for (int i = 1; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; ++i)
    if (i >= looks) sched_yield();
}

}  // namespace

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

void meet(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  finish_yielding(request);
}

double slowest(double mine, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm, &request);
  finish_yielding(request);
  return mine;
}

std::string broadcast(std::string text, int from, MPI_Comm comm) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, comm);
  return text;
}

std::optional<std::string> first_said(const std::optional<std::string> &mine, MPI_Comm comm) {
  int first = mine ? rank_of(comm) : INT_MAX;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == INT_MAX) return std::nullopt;
  return broadcast(mine.value_or(""), first, comm);
}

Comm machine_of(MPI_Comm all) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  return Comm(machine);
}

}  // namespace common
