// See faults.hpp. Intercepts the library's MPI calls through the profiling interface: puts and persistent sends pass through here.
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

/// A persistent send, and the bytes that it sent the last time.
struct Send {
  char *buffer;
  std::size_t bytes;
  std::vector<char> last;
};

Fault current = Fault::none;
std::map<MPI_Request, Send> sends;
std::list<std::vector<char>> put_bytes;  // damaged copies must live until the end of their epoch: they are kept
MPI_Aint first_target = -1;              // of two puts that are exchanged
const void *first_message = nullptr;     // of two sends that are exchanged

/// Puts into a send's buffer what the current fault makes of it.
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
  // The library sends its own buffers, so damage to them here acts as damage in transit.
  if (count > 0) sends[*request] = {static_cast<char *>(const_cast<void *>(buffer)), static_cast<std::size_t>(count), {}};
  return code;
}

int MPI_Request_free(MPI_Request *request) {
  sends.erase(*request);  // another request may soon have the same handle
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
  // The second of two messages is written to the place of the first, too.
  if (current == Fault::misplaced && first_target >= 0)
    PMPI_Put(origin, count, type, rank, first_target, target_count, target_type, window);
  if (current == Fault::misplaced && first_target < 0) {
    first_target = target;
    return MPI_SUCCESS;
  }
  return PMPI_Put(origin, count, type, rank, target, target_count, target_type, window);
}

}  // extern "C"
