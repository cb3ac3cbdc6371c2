// MPI_Testall in pieces that every MPI tests rightly.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>

#include "base/status.hpp"

namespace halocline::core {

/// Whether all of these requests have ended. MPICH 5.0.2 takes persistent requests for active that have ended where MPI_Testall gets more than
/// 64 at once and some of them are MPI_REQUEST_NULL: MPI_Start then fails.
inline Status test_all(int count, MPI_Request *requests, int *done) {
  constexpr int kMostAtOnce = 64;
  *done = 1;
  for (int first = 0; first < count; first += kMostAtOnce) {
    int ended = 0;
    HLC_TRY(check_mpi(MPI_Testall(std::min(kMostAtOnce, count - first), requests + first, &ended, MPI_STATUSES_IGNORE), "MPI_Testall"));
    *done = *done && ended;
  }
  return Status::ok;
}

}  // namespace halocline::core
