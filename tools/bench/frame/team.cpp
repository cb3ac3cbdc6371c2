// SPDX-License-Identifier: BSD-3-Clause
#include "bench/frame/team.hpp"

#include "bench/frame/refusal.hpp"
#include "bench/frame/shared.hpp"

#include <ctime>
#include <string>

namespace bench {

namespace {

/// Waits for all ranks and sleeps between looks.
void meet_asleep(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    const std::timespec kPause{0, 2'000'000};
    if (!done) nanosleep(&kPause, nullptr);
  }
}

}  // namespace

int with_team(MPI_Comm all, int size, const std::function<int(MPI_Comm)> &work) {
  const int rank = rank_of(all);
  MPI_Comm team = MPI_COMM_NULL;
  MPI_Comm_split(all, rank < size ? 0 : MPI_UNDEFINED, rank, &team);
  int result = 0;
  std::string refused;
  if (team != MPI_COMM_NULL) {
    const Comm owned(team);
    try {
      result = work(owned);
    } catch (const Refusal &refusal) {
      refused = refusal.what();
    }
  }
  meet_asleep(all);
  if (const std::string why = broadcast(refused, 0, all); !why.empty()) throw Refusal(why);
  return result;
}

bool is_time_left(MPI_Comm comm, double end) {
  int left = MPI_Wtime() < end ? 1 : 0;
  MPI_Bcast(&left, 1, MPI_INT, 0, comm);
  return left != 0;
}

}  // namespace bench
