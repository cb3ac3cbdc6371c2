// Who moves the network: whoever calls the library; a thread of the library as well, while nobody calls or whenever something comes, so that data
// arrive and go while the process computes; or a helper process of each node, so that what comes for its segments arrives (engine/network/helper.hpp).
// Source: Hammond, slides on Casper; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/status.hpp"
#include "engine/communicator/progress_mode.hpp"

namespace halocline {

/// What a progress thread polls. Any thread may call.
class Polled {
 public:
  Polled() = default;
  Polled(const Polled &) = delete;
  Polled &operator=(const Polled &) = delete;

  /// Moves everything along; true if anything came.
  virtual bool poll() = 0;
  /// True if something has come that waits to be taken in: the thread must not sleep for long.
  virtual bool has_more() const = 0;
  /// Counts all looks, whoever has made them.
  virtual std::uint64_t polls() const = 0;
  /// One thread at a time. Sleeps until something comes, the file `until` is readable or the time is over.
  virtual void sleep(int until, long timeout_ns) = 0;

 protected:
  ~Polled() = default;
};

/// Polls while nobody else does. Between its looks it sleeps: in mode `thread` until something comes, in mode `spare` for
/// some milliseconds. It calls no MPI. It also ends when the process does, before libfabric is taken down.
class ProgressThread {
 public:
  ProgressThread(Polled &polled, Progress progress) : polled_(polled), progress_(progress) {}
  ProgressThread(const ProgressThread &) = delete;
  ProgressThread &operator=(const ProgressThread &) = delete;
  /// Ends the thread, and waits for that.
  ~ProgressThread();

  /// What is polled must be open, and stay so until the destructor.
  Status start();

 private:
  void run();
  void run_spare();
  void nap(long ns) const;
  void ask_to_stop();
  void stop_at_exit();
  static void stop_all();

  Polled &polled_;
  Progress progress_;
  int stop_ = -1;  // an eventfd, readable once the thread is to end
  pid_t process_ = 0;  // that has started it: a child of fork has no such thread
  std::atomic<bool> stopping_{false}, over_{false};
  std::thread thread_;
};

}  // namespace halocline
