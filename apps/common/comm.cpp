// SPDX-License-Identifier: BSD-3-Clause
#include "comm.hpp"

#include "yielding.hpp"

#include <climits>

namespace common {
namespace {

/// A number of all ranks together, for measurements: ranks that wait let those that share their core run.
template <class Number>
Number reduced(Number mine, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &mine, 1, type, op, comm, &request);
  finish_yielding(request);
  return mine;
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

double slowest(double mine, MPI_Comm comm) { return reduced(mine, MPI_DOUBLE, MPI_MAX, comm); }

long long sum_of(long long mine, MPI_Comm comm) { return reduced(mine, MPI_LONG_LONG, MPI_SUM, comm); }

std::string broadcast(std::string text, int from, MPI_Comm comm) {
  int length = static_cast<int>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&length, 1, MPI_INT, from, comm, &request);
  finish_yielding(request);
  text.resize(static_cast<std::size_t>(length));
  MPI_Ibcast(text.data(), length, MPI_CHAR, from, comm, &request);
  finish_yielding(request);
  return text;
}

std::optional<std::string> first_said(const std::optional<std::string> &mine, MPI_Comm comm) {
  const int first = reduced(mine ? rank_of(comm) : INT_MAX, MPI_INT, MPI_MIN, comm);
  if (first == INT_MAX) return std::nullopt;
  return broadcast(mine.value_or(""), first, comm);
}

Comm machine_of(MPI_Comm all) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  return Comm(machine);
}

}  // namespace common
