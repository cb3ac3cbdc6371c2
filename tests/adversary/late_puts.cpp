// An MPI that is as slow as the standard allows, linked between a test and the real one. It holds back every put and get until the call
// that must complete it (flush, unlock, complete, fence). On shared memory a real MPI moves the data at once, and a missing flush would
// never show.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

namespace {

struct Transfer {
  const void *from;  // of a put
  void *to;  // of a get
  int count, rank;
  MPI_Datatype type;
  MPI_Aint place;
};

std::mutex one_at_a_time;
std::map<MPI_Win, std::vector<Transfer>> held_back;
long held_back_in_all = 0;

int hold_back(MPI_Win window, const Transfer &transfer) {
  const std::lock_guard lock(one_at_a_time);
  held_back[window].push_back(transfer);
  held_back_in_all += 1;
  return MPI_SUCCESS;
}

std::vector<Transfer> take(MPI_Win window) {
  const std::lock_guard lock(one_at_a_time);
  std::vector<Transfer> all;
  all.swap(held_back[window]);
  return all;
}

/// The last legal moment: carries out what was held back.
void let_go(MPI_Win window) {
  for (const Transfer &t : take(window)) {
    if (t.from)
      PMPI_Put(t.from, t.count, t.type, t.rank, t.place, t.count, t.type, window);
    else
      PMPI_Get(t.to, t.count, t.type, t.rank, t.place, t.count, t.type, window);
  }
}

}  // namespace

#define SEEN_BY_THE_LIBRARY __attribute__((visibility("default")))

extern "C" {

SEEN_BY_THE_LIBRARY int MPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint place, int, MPI_Datatype,
                                MPI_Win window) {
  return hold_back(window, {from, nullptr, count, rank, type, place});
}

SEEN_BY_THE_LIBRARY int MPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint place, int, MPI_Datatype, MPI_Win window) {
  return hold_back(window, {nullptr, to, count, rank, type, place});
}

SEEN_BY_THE_LIBRARY int MPI_Win_fence(int assertion, MPI_Win window) {
  let_go(window);
  return PMPI_Win_fence(assertion, window);
}

SEEN_BY_THE_LIBRARY int MPI_Win_complete(MPI_Win window) {
  let_go(window);
  return PMPI_Win_complete(window);
}

SEEN_BY_THE_LIBRARY int MPI_Win_flush_all(MPI_Win window) {
  let_go(window);
  return PMPI_Win_flush_all(window);
}

SEEN_BY_THE_LIBRARY int MPI_Win_unlock_all(MPI_Win window) {
  let_go(window);
  return PMPI_Win_unlock_all(window);
}

/// A run that held nothing back has tested nothing.
SEEN_BY_THE_LIBRARY int MPI_Finalize(void) {
  if (held_back_in_all == 0) {
    std::fprintf(stderr, "late_puts: no put or get came by\n");
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  return PMPI_Finalize();
}

}  // extern "C"
