// How many collectives the engine has carried, and how many the host, by function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>

namespace halocline::core::mpi {

enum class Collective {
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  ineighbor_alltoall,
  ineighbor_alltoallv,
  ineighbor_alltoallw,
  neighbor_alltoall_init,
  neighbor_alltoallv_init,
  neighbor_alltoallw_init,
  alltoallv_init,
  alltoallw_init,
  allgatherv_init,
  count_
};

/// Counts a call that is not refused. Not exact, if several threads count.
void count_collective(Collective call, bool carried);

/// The numbers since the last call, in words; empty if there are none.
std::string take_collective_counts();

}  // namespace halocline::core::mpi
