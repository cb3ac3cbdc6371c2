// A flag that one thread holds. Not a mutex: the host's progress may call its holder again, which then finds it held.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <atomic>

#include "base/atomics.hpp"

namespace halocline::core::mpi {

class Busy {
 public:
  bool try_lock() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }
  void lock() {
    for (unsigned tries = 1; !try_lock(); ++tries)
      if (tries % 64 == 0)
        sched_yield();
      else
        cpu_pause();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace halocline::core::mpi
