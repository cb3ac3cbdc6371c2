// MPI_Win_fence (MPI 4.1, section 12.5.1).
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/calls/synchronisation.hpp"

namespace halocline::core::mpi {
namespace {

int fence(Window &window, int assertion) {
  Epochs &epochs = window.epochs;
  if (const int code = check_assertion(assertion)) return code;
  if (epochs.locks_any() || epochs.is_started || epochs.is_posted) return MPI_ERR_RMA_SYNC;
  epochs.fence.store((assertion & MPI_MODE_NOSUCCEED) == 0 ? Fence::open : Fence::closed, std::memory_order_relaxed);
  constexpr int kNothing = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if ((assertion & kNothing) == kNothing) return MPI_SUCCESS;
  if (const int code = window.complete_before_barrier()) return code;
  const int code = code_of(window.barrier());
  window.comm->yield_if_oversubscribed();
  return code;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Win_fence(int assertion, MPI_Win win) {
  return with_window(
      win,
      [=](Window &window) { return checked(window, CheckedSync{Sync::fence, -1, assertion}, [&] { return fence(window, assertion); }); },
      [=] { return host::Win_fence(assertion, win); });
}

HLC_MPI_PROFILED(MPI_Win_fence)

}  // extern "C"
