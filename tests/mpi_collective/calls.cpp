// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_collective/calls.hpp"

#include <halocline/mpi4.h>

#include <algorithm>

namespace random_neighbor {
namespace {

/// The arguments as MPI wants them. The call may end before the collective does, so persistent and nonblocking ones keep theirs.
struct Lists {
  std::vector<int> counts, places;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;

  explicit Lists(const std::vector<BlockArgument> &blocks) {
    for (const BlockArgument &block : blocks) {
      counts.push_back(block.count);
      places.push_back(static_cast<int>(block.address / block.basic_bytes));
      bytes.push_back(static_cast<MPI_Aint>(block.address));
      types.push_back(*block.type);
    }
    // Never null: some MPIs refuse that.
    counts.push_back(0), places.push_back(0), bytes.push_back(0), types.push_back(MPI_BYTE);
  }
};
struct BothLists {
  Lists sent, received;
};

/// Kept to the end of the program.
const BothLists &keep_lists(const Arguments &a) {
  static std::vector<std::unique_ptr<BothLists>> all;
  all.push_back(std::make_unique<BothLists>(BothLists{Lists(a.sent), Lists(a.received)}));
  return *all.back();
}

}  // namespace

void call_blocking(const Arguments &a, MPI_Comm comm) {
  const BothLists lists{Lists(a.sent), Lists(a.received)};
  const Lists &s = lists.sent, &r = lists.received;
  if (a.function == Function::alltoall)
    MPI_Neighbor_alltoall(a.sent_buffer, a.count_of_all, a.type_of_all, a.received_buffer, a.count_of_all, a.type_of_all, comm);
  else if (a.function == Function::alltoallv)
    MPI_Neighbor_alltoallv(a.sent_buffer, s.counts.data(), s.places.data(), a.type_of_all, a.received_buffer, r.counts.data(),
                           r.places.data(), a.type_of_all, comm);
  else
    MPI_Neighbor_alltoallw(a.sent_buffer, s.counts.data(), s.bytes.data(), s.types.data(), a.received_buffer, r.counts.data(),
                           r.bytes.data(), r.types.data(), comm);
}

MPI_Request call_nonblocking(const Arguments &a, MPI_Comm comm) {
  const BothLists &lists = keep_lists(a);
  const Lists &s = lists.sent, &r = lists.received;
  MPI_Request request = MPI_REQUEST_NULL;
  if (a.function == Function::alltoall)
    MPI_Ineighbor_alltoall(a.sent_buffer, a.count_of_all, a.type_of_all, a.received_buffer, a.count_of_all, a.type_of_all, comm, &request);
  else if (a.function == Function::alltoallv)
    MPI_Ineighbor_alltoallv(a.sent_buffer, s.counts.data(), s.places.data(), a.type_of_all, a.received_buffer, r.counts.data(),
                            r.places.data(), a.type_of_all, comm, &request);
  else
    MPI_Ineighbor_alltoallw(a.sent_buffer, s.counts.data(), s.bytes.data(), s.types.data(), a.received_buffer, r.counts.data(),
                            r.bytes.data(), r.types.data(), comm, &request);
  return request;
}

MPI_Request call_init(const Arguments &a, MPI_Comm comm) {
  const BothLists &lists = keep_lists(a);
  const Lists &s = lists.sent, &r = lists.received;
  MPI_Request request = MPI_REQUEST_NULL;
  if (a.function == Function::alltoall)
    MPI_Neighbor_alltoall_init(a.sent_buffer, a.count_of_all, a.type_of_all, a.received_buffer, a.count_of_all, a.type_of_all, comm,
                               MPI_INFO_NULL, &request);
  else if (a.function == Function::alltoallv)
    MPI_Neighbor_alltoallv_init(a.sent_buffer, s.counts.data(), s.places.data(), a.type_of_all, a.received_buffer, r.counts.data(),
                                r.places.data(), a.type_of_all, comm, MPI_INFO_NULL, &request);
  else
    MPI_Neighbor_alltoallw_init(a.sent_buffer, s.counts.data(), s.bytes.data(), s.types.data(), a.received_buffer, r.counts.data(),
                                r.bytes.data(), r.types.data(), comm, MPI_INFO_NULL, &request);
  return request;
}

namespace {

void wait_for_any(std::vector<MPI_Request> requests) {
  for (std::size_t left = requests.size(); left > 0; --left) {
    int index = MPI_UNDEFINED;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
  }
}

void wait_for_some(std::vector<MPI_Request> requests, bool by_tests) {
  std::vector<int> which(requests.size());
  for (std::size_t left = requests.size(); left > 0;) {
    int done = 0;
    (by_tests ? MPI_Testsome : MPI_Waitsome)(static_cast<int>(requests.size()), requests.data(), &done, which.data(), MPI_STATUSES_IGNORE);
    left -= static_cast<std::size_t>(std::max(done, 0));
  }
}

void test_all(std::vector<MPI_Request> &requests) {
  for (int done = 0; !done;) MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
}

void test_each(std::vector<MPI_Request> &requests) {
  for (MPI_Request &request : requests)
    for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

}  // namespace

void await_somehow(std::vector<MPI_Request> &requests, std::uint64_t number) {
  switch (number % 8) {
    case 0: MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE); break;
    case 1: std::for_each(requests.begin(), requests.end(), [](MPI_Request &request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }); break;
    case 2: std::for_each(requests.rbegin(), requests.rend(), [](MPI_Request &request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }); break;
    case 3: wait_for_any(requests); break;
    case 4: wait_for_some(requests, false); break;
    case 5: wait_for_some(requests, true); break;
    case 6: test_all(requests); break;
    default: test_each(requests); break;
  }
}

}  // namespace random_neighbor
