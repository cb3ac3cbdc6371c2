// The progress thread, which drives progress of the network while the process computes. By HALOCLINE_PROGRESS it runs while no thread calls
// the library, or whenever something arrives. Where a helper process per node serves its ranks (engine/network/helper.hpp), the former.
// Started by SharedEndpoint::open; not bound to a core.
// Source: Hammond, slides on Casper; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/status.hpp"
#include "engine/communicator/progress_mode.hpp"

namespace halocline::core {

/// What a progress thread polls. Any thread may call.
class Polled {
 public:
  Polled() = default;
  Polled(const Polled &) = delete;
  Polled &operator=(const Polled &) = delete;

  /// Drives progress of all requests; true if anything arrived or completed.
  virtual bool poll() = 0;
  /// True if something has arrived and is not taken in yet: the thread must not sleep for long.
  virtual bool has_more() const = 0;
  /// False if there is nothing that a spare thread has to drive.
  virtual bool needs_poll() = 0;
  /// The number of polls so far, by any thread.
  virtual std::uint64_t polls() const = 0;
  /// Sleeps until something arrives, the file descriptor `until` is readable or the time has passed. One thread at a time.
  virtual void sleep(int until, long timeout_ns) = 0;

 protected:
  ~Polled() = default;
};

/// Polls while no other thread does. Between polls it sleeps: in mode `thread` until something arrives, in modes `spare` and `helper` for
/// some milliseconds. It does not call MPI. It also ends at the end of the process, before libfabric is unloaded.
class ProgressThread {
 public:
  ProgressThread(Polled &polled, Progress progress) : polled_(polled), progress_(progress) {}
  ProgressThread(const ProgressThread &) = delete;
  ProgressThread &operator=(const ProgressThread &) = delete;
  /// Stops the thread and joins it.
  ~ProgressThread();

  /// `polled` must be open, and stay open until the destructor.
  Status start();

 private:
  void run();
  void run_spare();
  void pause(long ns) const;
  void ask_to_stop();
  void stop_at_exit();
  static void stop_all();

  Polled &polled_;
  Progress progress_;
  int stop_ = -1;  // an eventfd, readable once the thread is to end
  pid_t process_ = 0;  // that started the thread: a child of fork has no such thread
  std::atomic<bool> stopping_{false}, over_{false};
  std::thread thread_;
};

}  // namespace halocline::core
