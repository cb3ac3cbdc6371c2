// Who moves the network: whoever calls the library; a thread of the library as well, so that data arrive and go while the process computes; or
// a helper process of each node, so that what comes for its segments arrives (engine/helper.hpp).
// Source: Hammond, slides on Casper; Gerstenberger et al., section 2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <thread>

#include "base/status.hpp"

namespace halocline {

class Context;

/// HALOCLINE_PROGRESS.
enum class Progress : int { caller, thread, helper };

/// Its word in HALOCLINE_PROGRESS.
const char *name_of(Progress progress);

/// Reads HALOCLINE_PROGRESS; the default is caller. The message of a failure names the rank, the value and the choices.
Status read_progress(int rank, Progress &progress);

/// Polls the network of a context while nobody else does, and sleeps until something comes. It calls no MPI.
class ProgressThread {
 public:
  explicit ProgressThread(Context &context) : context_(context) {}
  ProgressThread(const ProgressThread &) = delete;
  ProgressThread &operator=(const ProgressThread &) = delete;
  /// Ends the thread, and waits for that.
  ~ProgressThread();

  /// The network must be open, and stay so until the destructor.
  Status start();

 private:
  void run();
  void nap() const;

  Context &context_;
  int stop_ = -1;  // an eventfd, readable once the thread is to end
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace halocline
