// Queries to the ranks of other nodes, and answers: in which call a rank is. A rank that waits in any call of the library answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/communicator/call.hpp"

namespace halocline {

/// A rank that has not come to a call, and where it is instead; `known` is false for a rank that has not answered.
struct Absent {
  int rank = 0;
  bool known = false;
  CallWord word;
};

/// One rank's part in it. Any thread that may call MPI.
class RollCall {
 public:
  /// Tells ranks that ask that this one is in the call `mine`. Does not wait.
  void answer(MPI_Comm comm, CallWord mine);
  /// Asks the ranks of `asked`, which takes their answers. Waits until all have answered, at most so long; drive_progress() is called all the while.
  /// Only steps that have failed ask, so that what is never answered belongs to a communicator that is lost.
  void ask(MPI_Comm comm, CallWord mine, std::int64_t longest_ns, std::vector<Absent> &asked, const std::function<void()> &drive_progress);

 private:
  /// What a rank has said of itself, by asking or by answering.
  struct Received {
    int rank;
    std::int64_t word;
    bool asking;  // who asks is about to give up
  };
  struct Answer {
    std::int64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool receive(MPI_Comm comm, int tag);
  std::size_t received_count();
  void send_reply(MPI_Comm comm, int rank, CallWord mine);

  std::mutex mutex_;
  std::vector<Received> received_;
  std::array<Answer, 64> answers_;
};

}  // namespace halocline
