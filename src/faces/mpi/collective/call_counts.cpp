// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/call_counts.hpp"

#include <cstddef>

namespace halocline::core::mpi {
namespace {

constexpr auto kCollectives = static_cast<std::size_t>(Collective::count_);
constexpr const char *kCollectiveNames[kCollectives] = {
    "MPI_Neighbor_alltoall",       "MPI_Neighbor_alltoallv",  "MPI_Neighbor_alltoallw",     "MPI_Ineighbor_alltoall",
    "MPI_Ineighbor_alltoallv",     "MPI_Ineighbor_alltoallw", "MPI_Neighbor_alltoall_init", "MPI_Neighbor_alltoallv_init",
    "MPI_Neighbor_alltoallw_init", "MPI_Alltoallv_init",      "MPI_Alltoallw_init",         "MPI_Allgatherv_init"};

struct CollectiveCounts {
  std::atomic<long> of[kCollectives];
};
CollectiveCounts carried_collectives, left_collectives;

/// They begin anew.
std::string take_counts(CollectiveCounts &counts) {
  std::string text;
  for (std::size_t i = 0; i < kCollectives; ++i)
    if (const long number = counts.of[i].exchange(0))
      text += (text.empty() ? "" : ", ") + std::to_string(number) + " by " + kCollectiveNames[i];
  return text.empty() ? "none" : text;
}

}  // namespace

void count_collective(Collective call, bool carried) {
  std::atomic<long> &count = (carried ? carried_collectives : left_collectives).of[static_cast<std::size_t>(call)];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::string take_collective_counts() {
  const std::string carried = take_counts(carried_collectives), left = take_counts(left_collectives);
  return carried == "none" && left == "none" ? "" : "collectives carried: " + carried + "; left to the host MPI: " + left;
}

}  // namespace halocline::core::mpi
