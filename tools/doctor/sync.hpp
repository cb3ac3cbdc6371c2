// The ways to synchronise one-sided communication, one row each. An epoch is: prepare the window's memory, move, and look at it once the
// standard says that the data must be there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "window.hpp"

namespace doctor {

/// What is done in an epoch.
struct Epoch {
  MPI_Comm comm;
  Window *window;
  std::vector<int> targets, origins;
  std::function<void()> prepare;                                  ///< local stores into my window
  std::function<void(int target, std::vector<MPI_Request> *)> move;  ///< with a list: request-based calls, whose requests go there
  std::function<void()> local;                                    ///< origin buffers hold what was read, and may be reused
  std::function<void()> look;                                     ///< what others wrote must be in my window
};

/// One way. The name is a column of the table.
struct Sync {
  const char *name, *calls;
  void (*run)(const Epoch &);
};

std::span<const Sync> sync_table();

}  // namespace doctor
