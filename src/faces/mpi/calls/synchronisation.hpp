// What the synchronisation calls share (fence.cpp, lock.cpp, flush.cpp, pscw.cpp). Accesses on the node are complete when the calls that begin
// them return, and only have to be ordered. Those to other nodes are awaited by these calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {

/// Orders the accesses of this rank before all that it does later, and its reads after what others have written.
inline void order_accesses() { std::atomic_thread_fence(std::memory_order_seq_cst); }

inline bool is_target(const Window &window, int rank) { return rank >= 0 && rank < window.size(); }
inline int refuse_rank(const Window &window, int rank) {
  return refuse(MPI_ERR_RANK, "rank %d out of range (window has %d ranks)", rank, window.size());
}

/// Programs end their epochs of fences with any fence, so one without accesses may be open. Its accesses would be complete at no time.
inline int check_fence(const Epochs &epochs) {
  if (epochs.fence.load(std::memory_order_relaxed) != Fence::used) return MPI_SUCCESS;
  return refuse(MPI_ERR_RMA_SYNC, "accesses since MPI_Win_fence are not complete; call MPI_Win_fence first");
}

}  // namespace halocline::core::mpi
