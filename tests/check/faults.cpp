// See faults.hpp. Stands between the library and MPI by way of the profiling interface: puts and persistent sends pass through here.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "check/faults.hpp"

#include <mpi.h>

#include <algorithm>
#include <list>
#include <map>
#include <vector>

namespace halocline::test {
namespace {

/// A persistent send, and what it sent the last time.
struct Send {
  char *buffer;
  std::size_t bytes;
  std::vector<char> last;
};

Fault current = Fault::none;
std::map<MPI_Request, Send> sends;
std::list<std::vector<char>> put_bytes;  // damaged copies must live until the end of their epoch: they are kept
MPI_Aint first_target = -1;              // of two puts that are exchanged
const void *first_message = nullptr;     // of two sends that are taken for each other

/// What a send is to send, under the current fault.
void damage(Send &send) {
  std::vector<char> honest(send.buffer, send.buffer + send.bytes);
  if (current == Fault::stale && !send.last.empty()) std::copy(send.last.begin(), send.last.end(), send.buffer);
  if (current == Fault::torn && !send.last.empty())
    std::copy(send.last.begin() + static_cast<std::ptrdiff_t>(send.bytes / 2), send.last.end(), send.buffer + send.bytes / 2);
  if (current == Fault::misplaced && first_message) std::copy_n(static_cast<const char *>(first_message), send.bytes, send.buffer);
  if (current == Fault::misplaced && !first_message) first_message = send.buffer;
  send.last = std::move(honest);
}

}  // namespace

void set_fault(Fault fault) {
  current = fault;
  first_target = -1;
  first_message = nullptr;
}

}  // namespace halocline::test

using namespace halocline::test;

extern "C" {

int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
  const int code = PMPI_Send_init(buffer, count, type, rank, tag, comm, request);
  // The library sends its own buffers; to damage them here is to damage them on their way.
  if (count > 0) sends[*request] = {static_cast<char *>(const_cast<void *>(buffer)), static_cast<std::size_t>(count), {}};
  return code;
}

int MPI_Request_free(MPI_Request *request) {
  sends.erase(*request);  // its number may soon be that of another
  return PMPI_Request_free(request);
}

int MPI_Start(MPI_Request *request) {
  const auto send = sends.find(*request);
  if (send != sends.end()) damage(send->second);
  return PMPI_Start(request);
}

int MPI_Put(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint target, int target_count, MPI_Datatype target_type,
            MPI_Win window) {
  if (current == Fault::stale) return MPI_SUCCESS;
  if (current == Fault::torn) count = target_count = count / 2;
  // The second of two messages takes the place of the first, too.
  if (current == Fault::misplaced && first_target >= 0)
    PMPI_Put(origin, count, type, rank, first_target, target_count, target_type, window);
  if (current == Fault::misplaced && first_target < 0) {
    first_target = target;
    return MPI_SUCCESS;
  }
  return PMPI_Put(origin, count, type, rank, target, target_count, target_type, window);
}

}  // extern "C"
