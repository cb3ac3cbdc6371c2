// What the library calls and SimGrid 4.1 lacks: neighbourhood collectives, MPI_Win_test, and the memory model of a window. Its non-blocking
// collectives send a message from each rank to each other one, so the blocking ones take their place. Its MPI_Ibarrier does not wait for all
// ranks. The one here has log2(p) rounds and advances in MPI_Test, because ranks answer others between its begin and its end. Time is
// simulated, so a call that waits holds up no other rank: it may stand for one that tests.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <vector>

namespace {

/// The neighbours of this rank in a graph, by the communicator.
struct Graph {
  std::vector<int> sources, destinations;
};
std::map<MPI_Comm, Graph> graphs;

/// The barrier of this rank that is under way; there is one at a time. Its address stands for its request.
struct Barrier {
  static constexpr int kTag = 30000;  // of round 0

  MPI_Comm comm = MPI_COMM_NULL;
  int round = 0;
  MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;

  bool is_over() const {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return 1 << round >= size;
  }
  void start() {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int far = 1 << round;
    MPI_Irecv(nullptr, 0, MPI_BYTE, (rank - far + size) % size, kTag + round, comm, &received);
    MPI_Isend(nullptr, 0, MPI_BYTE, (rank + far) % size, kTag + round, comm, &sent);
  }
  /// True once all ranks have entered it.
  bool go_on() {
    while (!is_over()) {
      for (MPI_Request *one : {&sent, &received}) {
        int done = 1;
        if (*one != MPI_REQUEST_NULL) PMPI_Test(one, &done, MPI_STATUS_IGNORE);
        if (!done) return false;
      }
      round += 1;
      if (!is_over()) start();
    }
    return true;
  }
};
Barrier barrier;

/// What the library does not do today. SimGrid would take the barrier's address for a request of its own.
void refuse(const char *what) {
  std::fprintf(stderr, "halocline-smpi: tests/smpi/missing.cpp does not know %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

bool is_barrier(MPI_Request request) { return reinterpret_cast<Barrier *>(request) == &barrier; }

}  // namespace

extern "C" {

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int *sources, const int *, int outdegree, const int *destinations,
                                   const int *, MPI_Info, int, MPI_Comm *graph) {
  const int status = MPI_Comm_dup(comm, graph);
  if (status == MPI_SUCCESS) graphs[*graph] = {{sources, sources + indegree}, {destinations, destinations + outdegree}};
  return status;
}

/// Complete when it returns. The tag counts the edges to a rank, as MPI matches those in the order listed.
int MPI_Ineighbor_alltoallw(const void *out, const int *out_counts, const MPI_Aint *out_places, const MPI_Datatype *out_types, void *in,
                            const int *in_counts, const MPI_Aint *in_places, const MPI_Datatype *in_types, MPI_Comm comm,
                            MPI_Request *request) {
  const Graph &graph = graphs.at(comm);
  std::vector<MPI_Request> running;
  std::map<int, int> tags;
  for (std::size_t i = 0; i < graph.sources.size(); ++i) {
    running.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(static_cast<char *>(in) + in_places[i], in_counts[i], in_types[i], graph.sources[i], tags[graph.sources[i]]++, comm,
              &running.back());
  }
  tags.clear();
  for (std::size_t i = 0; i < graph.destinations.size(); ++i) {
    running.push_back(MPI_REQUEST_NULL);
    MPI_Isend(static_cast<const char *>(out) + out_places[i], out_counts[i], out_types[i], graph.destinations[i],
              tags[graph.destinations[i]]++, comm, &running.back());
  }
  *request = MPI_REQUEST_NULL;
  return MPI_Waitall(static_cast<int>(running.size()), running.data(), MPI_STATUSES_IGNORE);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(mine, all, count, type, op, comm);
}
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Bcast(data, count, type, root, comm);
}
int MPI_Iallgather(const void *mine, int count, MPI_Datatype type, void *all, int each, MPI_Datatype type_of_each, MPI_Comm comm,
                   MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allgather(mine, count, type, all, each, type_of_each, comm);
}
int MPI_Igather(const void *mine, int count, MPI_Datatype type, void *all, int each, MPI_Datatype type_of_each, int root, MPI_Comm comm,
                MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Gather(mine, count, type, all, each, type_of_each, root, comm);
}
int MPI_Iscan(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Scan(mine, all, count, type, op, comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  if (barrier.comm != MPI_COMM_NULL) refuse("MPI_Ibarrier while another one is under way");
  barrier = {comm};
  if (!barrier.is_over()) barrier.start();
  *request = reinterpret_cast<MPI_Request>(&barrier);
  return MPI_SUCCESS;
}

/// SimGrid leaves *flag as it is where there is no request, and the status is ignored.
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  if (is_barrier(*request)) {
    *flag = barrier.go_on();
    if (*flag) *request = MPI_REQUEST_NULL, barrier.comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  *flag = 1;
  return *request == MPI_REQUEST_NULL && status == MPI_STATUS_IGNORE ? MPI_SUCCESS : PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  const bool has_barrier = std::any_of(requests, requests + count, is_barrier);
  if (!has_barrier) return PMPI_Testall(count, requests, flag, statuses);
  if (count > 1) refuse("MPI_Testall of MPI_Ibarrier and others");
  return MPI_Test(requests, flag, MPI_STATUS_IGNORE);
}

int MPI_Win_test(MPI_Win window, int *flag) {
  *flag = 1;
  return MPI_Win_wait(window);
}

/// All ranks are in one process.
int MPI_Win_get_attr(MPI_Win window, int key, void *value, int *flag) {
  if (key != MPI_WIN_MODEL) return PMPI_Win_get_attr(window, key, value, flag);
  static int model = MPI_WIN_UNIFIED;
  *static_cast<int **>(value) = &model;
  *flag = 1;
  return MPI_SUCCESS;
}

// The linker puts these in place of the system's: waits of the library sleep in simulated time.
int __wrap_nanosleep(const std::timespec *time, std::timespec *left) { return smpi_nanosleep(time, left); }
int __wrap_clock_gettime(clockid_t clock, std::timespec *time) { return smpi_clock_gettime(clock, time); }
}
