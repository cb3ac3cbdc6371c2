// One random neighbourhood collective, made by any of the three functions, blocking, nonblocking or persistent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_rma/random_types.hpp"

namespace random_neighbor {

enum class Way { blocking, nonblocking, persistent };
enum class Function : int { alltoall, alltoallv, alltoallw };

inline const char *name_of(Function function) {
  constexpr const char *names[] = {"alltoall", "alltoallv", "alltoallw"};
  return names[static_cast<int>(function)];
}

/// A block in a buffer.
struct BlockArgument {
  std::int64_t begin = 0, address = 0;  // of its first byte; of what the call is given
  int count = 0, basic_bytes = 1;
  std::shared_ptr<random_rma::Datatype> type;
};

/// The arguments of a call. Those of alltoall and alltoallv have one type.
struct Arguments {
  Function function = Function::alltoall;
  const char *sent_buffer = nullptr;
  char *received_buffer = nullptr;
  std::vector<BlockArgument> sent, received;
  MPI_Datatype type_of_all = MPI_BYTE;
  int count_of_all = 0;
};

void call_blocking(const Arguments &arguments, MPI_Comm comm);
MPI_Request call_nonblocking(const Arguments &arguments, MPI_Comm comm);
MPI_Request call_init(const Arguments &arguments, MPI_Comm comm);

/// Waits for all requests, together, one by one in some order, or by tests, as the number says.
void await_somehow(std::vector<MPI_Request> &requests, std::uint64_t number);

}  // namespace random_neighbor
