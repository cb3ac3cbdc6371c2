// Notified access to windows of MPI (halocline/mpix.h), where libhalocline_mpi is loaded, and a swap between neighbours in a ring by it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/rma/other_operations.hpp"

#include <halocline/mpix.h>

#include <cstdint>
#include <vector>

namespace bench {

/// The functions by their names, as libhalocline_mpi has them: nothing is linked for them. All null without it.
struct NotifiedCalls {
  decltype(&MPIX_Win_set_num_notify) set_number;
  decltype(&MPIX_Put_notify) put;
  decltype(&MPIX_Win_notify_init) init;
  decltype(&MPIX_Notify_start) start;
  decltype(&MPIX_Notify_wait) wait;
  decltype(&MPIX_Notify_free) free;
};
const NotifiedCalls &notified_calls();

/// A window of `bytes` per rank with a notification per source in `sources`, by its place in that list. Collective.
class NotifiedWindow {
 public:
  NotifiedWindow(MPI_Comm comm, std::int64_t bytes, const std::vector<int> &sources);
  ~NotifiedWindow();
  NotifiedWindow(const NotifiedWindow &) = delete;
  NotifiedWindow &operator=(const NotifiedWindow &) = delete;

  void put(const void *data, int bytes, int rank, MPI_Aint at, int notification) {
    calls_.put(data, bytes, MPI_BYTE, rank, at, bytes, MPI_BYTE, notification, side_.win);
  }
  void wait(int notification) {
    calls_.start(requests_[static_cast<std::size_t>(notification)]);
    calls_.wait(requests_[static_cast<std::size_t>(notification)], MPI_STATUS_IGNORE);
  }
  void flush(int rank) { side_.calls.flush(rank, side_.win); }
  const char *data() const { return side_.window; }

 private:
  const NotifiedCalls &calls_;
  RmaSide side_;
  std::vector<MPIX_Notify> requests_;
};

/// Bytes to and from two neighbours in a ring: by the engine in mode notify, by notified puts on a window where the drop-in is loaded, and by the
/// host's puts between fences. All pack from, and unpack to, buffers of the program.
Operation make_swap(Stage &stage, std::int64_t bytes);

}  // namespace bench
