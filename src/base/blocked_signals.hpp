// Signals are for the program's threads, so the library's own threads take none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace halocline::core {

/// Blocks all signals while a thread is started, so that the thread inherits this.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace halocline::core
