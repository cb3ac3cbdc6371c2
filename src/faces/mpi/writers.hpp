// The queues of this rank for exclusive locks of a window, with HALOCLINE_MPI_LOCK=mcs. While it waits for a lock of another node, it asks
// for words there only once it is the first in the queue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>

#include "faces/mpi/writer_queue.hpp"

namespace halocline::core::mpi {

class Window;

class Writers {
 public:
  /// Reads the variable.
  Writers();

  /// Waits until this rank is the first that wants an exclusive lock of the target. It passes the queue by if it is in as many others as it
  /// has places.
  Status enter(Window &window, int target);
  /// Lets the next rank be the first, after the lock has been released. Waits for a rank that is about to queue behind this one.
  Status leave(Window &window, int target);

 private:
  /// The place that this rank has in the queue of a target, and a free one that it takes; below 0 if there is none.
  int find(int target) const;
  int claim(int target);

  bool queue_ = false;
  std::array<std::atomic<int>, QueuePlaces::kPlaces> targets_{};  // counted from 1
};

}  // namespace halocline::core::mpi
