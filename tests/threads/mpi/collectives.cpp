// The thread MPI: collective calls that combine or gather bytes of the ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "threads/mpi/world.hpp"

namespace halocline::threads {

std::size_t bytes_of(MPI_Datatype type) {
  if (type == MPI_BYTE || type == MPI_CHAR) return 1;
  if (type == MPI_INT) return sizeof(int);
  if (type == MPI_DOUBLE || type == MPI_INT64_T || type == MPI_UINT64_T || type == MPI_LONG_LONG) return 8;
  return types().at(type);
}

namespace {

template <class Number>
void combine_numbers(MPI_Op op, char *sum, const char *term, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(Number)) {
    Number a, b;
    std::memcpy(&a, sum + at, sizeof a);
    std::memcpy(&b, term + at, sizeof b);
    a = op == MPI_SUM ? a + b : op == MPI_MAX ? std::max(a, b) : op == MPI_MIN ? std::min(a, b) : (forbid("an operation of numbers"), a);
    std::memcpy(sum + at, &a, sizeof a);
  }
}

void combine(MPI_Op op, MPI_Datatype type, std::vector<char> &sum, const std::vector<char> &term) {
  if (op == MPI_BOR) {
    for (std::size_t b = 0; b < sum.size(); ++b) sum[b] = static_cast<char>(sum[b] | term[b]);
    return;
  }
  if (type == MPI_INT) return combine_numbers<int>(op, sum.data(), term.data(), sum.size());
  if (type == MPI_DOUBLE) return combine_numbers<double>(op, sum.data(), term.data(), sum.size());
  if (type == MPI_INT64_T || type == MPI_LONG_LONG) return combine_numbers<std::int64_t>(op, sum.data(), term.data(), sum.size());
  forbid("a reduction of a type that has none");
}

/// Combines the contributions of the ranks from 0 to last, into the caller's memory.
std::function<void(Meeting &)> reduction(int last, MPI_Op op, MPI_Datatype type, void *result) {
  return [=](Meeting &meeting) {
    std::vector<char> sum = meeting.given[0];
    for (int r = 1; r <= last; ++r) combine(op, type, sum, meeting.given[static_cast<std::size_t>(r)]);
    copy(static_cast<char *>(result), sum.data(), sum.size(), Seen::target);
  };
}

/// Writes the contributions of all ranks one after the other into the caller's memory.
std::function<void(Meeting &)> gathering(void *result) {
  return [result](Meeting &meeting) {
    char *to = static_cast<char *>(result);
    for (const std::vector<char> &part : meeting.given) {
      copy(to, part.data(), part.size(), Seen::target);
      to += part.size();
    }
  };
}

/// Starts a collective call; it completes with the contributions of the ranks from first to last.
void start(Comm &comm, const void *data, std::size_t bytes, int first, int last, std::function<void(Meeting &)> take, MPI_Request *handle) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::meeting;
  request->comm = &comm;
  request->active = true;
  request->first = first;
  request->last = last;
  request->take = std::move(take);
  request->turn = arrive(comm, data, bytes);
  requests().add(std::move(request), handle);
}

std::size_t size_of(int count, MPI_Datatype type) { return static_cast<std::size_t>(count) * bytes_of(type); }

/// A blocking call is a non-blocking one with its wait.
int wait_for(MPI_Request request) { return MPI_Waitall(1, &request, MPI_STATUSES_IGNORE); }

}  // namespace
}  // namespace halocline::threads

using namespace halocline::threads;

extern "C" {

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  start(mine, nullptr, 0, 0, mine.size() - 1, nullptr, request);
  return MPI_SUCCESS;
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  const bool gives = mine.me() == root;
  start(
      mine, data, gives ? size_of(count, type) : 0, root, root,
      [=](Meeting &meeting) {
        const std::vector<char> &sent = meeting.given[static_cast<std::size_t>(root)];
        if (!gives) copy(static_cast<char *>(data), sent.data(), sent.size(), Seen::target);
      },
      request);
  return MPI_SUCCESS;
}

int MPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  const int last = mine.size() - 1;
  start(mine, data, size_of(count, type), 0, last, reduction(last, op, type, result), request);
  return MPI_SUCCESS;
}

int MPI_Iscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  start(mine, data, size_of(count, type), 0, mine.me(), reduction(mine.me(), op, type, result), request);
  return MPI_SUCCESS;
}

int MPI_Igather(const void *data, int count, MPI_Datatype type, void *result, int, MPI_Datatype, int root, MPI_Comm comm,
                MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  const bool takes = mine.me() == root;
  start(mine, data, size_of(count, type), 0, takes ? mine.size() - 1 : 0, takes ? gathering(result) : nullptr, request);
  return MPI_SUCCESS;
}

int MPI_Iallgather(const void *data, int count, MPI_Datatype type, void *result, int, MPI_Datatype, MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  start(mine, data, size_of(count, type), 0, mine.size() - 1, gathering(result), request);
  return MPI_SUCCESS;
}

/// The contributions have to follow each other without gaps.
int MPI_Iallgatherv(const void *data, int count, MPI_Datatype type, void *result, const int counts[], const int offsets[], MPI_Datatype,
                    MPI_Comm comm, MPI_Request *request) {
  const Inside inside;
  Comm &mine = comm_at(comm);
  for (int r = 1; r < mine.size(); ++r)
    if (offsets[r] != offsets[r - 1] + counts[r - 1]) forbid("a gathering with gaps");
  start(mine, data, size_of(count, type), 0, mine.size() - 1, gathering(result), request);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  MPI_Iallreduce(data, result, count, type, op, comm, &request);
  return wait_for(request);
}

}  // extern "C"
