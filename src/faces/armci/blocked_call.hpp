// Calls of MPI that make communicators: they block, and no wait of ours can bound them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "faces/armci/job.hpp"

namespace halocline::core::armci {

/// Waits until these processes, of which this is one, have all begun the call, so that none waits inside MPI for one that is late or lost.
void meet_members(Job &job, const char *call, const std::vector<int> &procs);

/// Exists while this process is inside such a call of MPI. If a process of the node ends meanwhile, a thread ends all.
class BlockedCall {
 public:
  BlockedCall(Job &job, const char *call);
  BlockedCall(const BlockedCall &) = delete;
  BlockedCall &operator=(const BlockedCall &) = delete;
  ~BlockedCall();

 private:
  void watch();

  Job &job_;
  const char *call_;
  std::mutex mutex_;
  std::condition_variable returned_;
  bool has_returned_ = false;
  std::thread thread_;
};

}  // namespace halocline::core::armci
