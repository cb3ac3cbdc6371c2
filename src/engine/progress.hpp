// Who moves the network: whoever calls the library; a thread of the library as well, while nobody calls or whenever something comes, so that data
// arrive and go while the process computes; or a helper process of each node, so that what comes for its segments arrives (engine/helper.hpp).
// Source: Hammond, slides on Casper; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <thread>

#include "base/status.hpp"

namespace halocline {

class Endpoint;

/// HALOCLINE_PROGRESS.
enum class Progress : int { caller, spare, thread, helper };

/// True if each process has a thread of the library once its network is open.
inline bool has_progress_thread(Progress progress) { return progress == Progress::spare || progress == Progress::thread; }

/// Its word in HALOCLINE_PROGRESS.
const char *name_of(Progress progress);

/// Reads HALOCLINE_PROGRESS; the default is spare. The message of a failure names the rank, the value and the choices.
Status read_progress(int rank, Progress &progress);

/// Polls an endpoint while nobody else does. Between its looks it sleeps: in mode `thread` until something comes, in mode `spare` for
/// some milliseconds. It calls no MPI. It also ends when the process does, before libfabric is taken down.
class ProgressThread {
 public:
  ProgressThread(Endpoint &endpoint, Progress progress) : endpoint_(endpoint), progress_(progress) {}
  ProgressThread(const ProgressThread &) = delete;
  ProgressThread &operator=(const ProgressThread &) = delete;
  /// Ends the thread, and waits for that.
  ~ProgressThread();

  /// The endpoint must be open, and stay so until the destructor.
  Status start();

 private:
  void run();
  void run_spare();
  void nap(long ns) const;
  void ask_to_stop();
  void stop_at_exit();
  static void stop_all();

  Endpoint &endpoint_;
  Progress progress_;
  int stop_ = -1;  // an eventfd, readable once the thread is to end
  pid_t process_ = 0;  // that has started it: a child of fork has no such thread
  std::atomic<bool> stopping_{false}, over_{false};
  std::thread thread_;
};

}  // namespace halocline
